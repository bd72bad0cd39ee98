"""Queries of the files that admins attach to messages."""
