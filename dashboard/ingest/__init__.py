"""The path of a posted event or an admin's action to rows in SQL."""
