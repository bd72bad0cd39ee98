"""The language of conditions as text: what may be written, and what is wrong in it."""
