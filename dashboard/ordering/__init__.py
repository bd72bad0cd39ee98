"""Keeps the lists in Redis equal to SQL."""
