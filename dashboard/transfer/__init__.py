"""Exports events of a Lineup and imports them into another: lines of JSON as in the bot API."""
