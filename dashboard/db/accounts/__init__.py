"""Accounts: admins, sessions, sources, API keys, canned replies, presence settings."""
