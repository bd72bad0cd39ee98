"""Mentions of the signed-in admin."""
