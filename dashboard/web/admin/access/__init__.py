"""Accounts, keys and webhooks, each admin's own profile, and who did what to them."""
