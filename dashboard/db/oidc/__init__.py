"""What is kept of sign-ins by OpenID Connect."""
