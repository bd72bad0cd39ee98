"""Tests of sorts as data."""
