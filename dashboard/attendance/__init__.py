"""Presence in this product: whose it is, what of it lasts, and who may know."""
