"""Who is mentioned in notes, and who has read it."""
