"""Who has a thread: handed over, and given back where its assignee will not answer."""
