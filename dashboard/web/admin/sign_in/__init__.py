"""Signing in and out: by a password, with a code where the account has a second factor, or by a
provider of accounts (`oidc/`)."""
