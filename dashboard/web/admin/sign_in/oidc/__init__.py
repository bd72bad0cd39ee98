"""Signing in and out by a provider of accounts (OpenID Connect)."""
