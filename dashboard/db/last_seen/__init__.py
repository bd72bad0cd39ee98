"""When people were last seen, in SQL: what Redis does not know, or has lost."""
