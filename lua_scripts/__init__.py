"""Runs Lua scripts on Redis, for the packages that keep their scripts beside their code."""
