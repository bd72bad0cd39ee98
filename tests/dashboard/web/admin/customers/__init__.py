"""Tests of the calls about customers."""
