"""Tests of the calls for sorts."""
