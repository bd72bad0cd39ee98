"""Saved views over HTTP."""
