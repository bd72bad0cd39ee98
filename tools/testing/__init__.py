"""Runs the tests: the gate (`make test`) and everything (`make test-all`); see docs/testing.md."""
