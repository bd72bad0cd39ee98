"""The settings: all of them (`environment.py`), and groups that have a file of their own."""
