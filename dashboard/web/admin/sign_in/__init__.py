"""Signing in and out: by a password, with a code if the account has a second factor, or by a
provider of accounts (`oidc/`)."""
