"""SQL: the tables, and how they are read and written."""
