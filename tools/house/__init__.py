"""Measures the size of the product, and how far a reader walks through it."""
