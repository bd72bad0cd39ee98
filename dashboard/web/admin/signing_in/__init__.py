"""Signing in: the password, then the code of a second factor where the account has one."""
