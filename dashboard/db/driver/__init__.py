"""Statements that the database's driver runs itself: those that each event needs."""
