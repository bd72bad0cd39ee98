"""Exports and imports events as lines of JSON, as in the bot API; makes and restores backups."""
