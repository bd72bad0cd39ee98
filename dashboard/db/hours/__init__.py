"""Opening hours and policies in SQL, and the due times of threads."""
