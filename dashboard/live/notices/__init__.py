"""Notices: what concerns an admin personally goes to all sockets of that admin."""
