"""Files that go with an admin's message."""
