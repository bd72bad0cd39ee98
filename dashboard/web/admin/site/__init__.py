"""The pages: the dashboard, the sign-in in front of it, and the settings beside it."""
