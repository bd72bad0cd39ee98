"""When people were last seen: lists of them, and times on their way to SQL and back."""
