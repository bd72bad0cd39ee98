"""Tests of the condition language and of its readers."""
