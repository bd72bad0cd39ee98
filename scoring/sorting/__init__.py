"""Sorts as data: rules that are read from outside, checked, and compiled to plain Python."""
