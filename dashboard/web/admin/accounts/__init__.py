"""Accounts and invitations in the admin API, and the page of who was invited."""
