"""Webhooks in the admin API, and their page."""
