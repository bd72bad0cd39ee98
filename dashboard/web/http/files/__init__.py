"""Files in requests and answers."""
