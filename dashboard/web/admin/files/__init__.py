"""The calls about files that admins attach to messages."""
