"""Backups: one file with the database and the files of admins, made while the product runs."""
