"""The commands that keep what Lineup holds: backup and restore, export and import."""
