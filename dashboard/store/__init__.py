"""SQL: what is kept, and how it is read and written."""
