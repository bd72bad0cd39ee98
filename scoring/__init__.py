"""The rules of order: facts of a thread, packed into one exact score a sort, kept in Redis."""
