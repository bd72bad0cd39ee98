"""The embedded Redis server: found or started, and ended with the process that started it."""
