"""The settings: all of them (`environment.py`), and groups with a file of their own."""
