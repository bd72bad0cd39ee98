"""Presence of people: their connections and their rooms, on Redis alone."""
