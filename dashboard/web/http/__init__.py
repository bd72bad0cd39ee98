"""Parts shared by all HTTP handlers: problems, origins, sessions, cursors."""
