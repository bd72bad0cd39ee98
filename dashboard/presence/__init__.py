"""Presence of customers and admins."""
