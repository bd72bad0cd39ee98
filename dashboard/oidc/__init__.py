"""Talks to the provider of accounts by OpenID Connect, and checks its answers."""
