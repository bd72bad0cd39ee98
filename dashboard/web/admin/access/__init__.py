"""Accounts, keys, webhooks, each admin's own profile, and the audit log of them."""
