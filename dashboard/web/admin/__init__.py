"""The dashboard: its pages, its API and signing in."""
