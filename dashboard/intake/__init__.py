"""The way in: an event is parsed, recorded in SQL, and its thread placed in Redis."""
