"""How many events a second an API key may post, at all workers together."""
