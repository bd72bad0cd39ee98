"""The audit log in commands: who runs them."""
