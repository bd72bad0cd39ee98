"""Test suites that other people wrote, run against a real Lineup."""
