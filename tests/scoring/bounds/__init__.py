"""The keys that Redis holds beside the lists themselves."""
