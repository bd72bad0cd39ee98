"""Adds to the audit log from requests."""
