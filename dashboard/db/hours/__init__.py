"""Opening hours and policies in SQL, and by when threads are to be answered."""
