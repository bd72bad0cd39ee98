"""The language of conditions as text: its grammar, and the errors in a text."""
