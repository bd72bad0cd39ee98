"""Demo data: a shop's customers and what they write."""
