"""Tests of what supervisors are told of the order."""
