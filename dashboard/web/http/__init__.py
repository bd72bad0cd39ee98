"""What all HTTP handlers share: problems, origins, sessions, cursors."""
