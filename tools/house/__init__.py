"""Measures how large the product is, and how far a reader walks through it."""
