"""Receives, stores, addresses and removes the files of admins."""
