"""Lists of queries over sockets: saved views, unsaved queries, and how long each is."""
