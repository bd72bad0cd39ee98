"""The provider of accounts, by OpenID Connect: what is asked of it, and what it says is checked."""
