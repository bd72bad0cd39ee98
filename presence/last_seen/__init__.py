"""Last-seen times of people: lists of them, and their way to SQL and back."""
