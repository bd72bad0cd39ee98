"""Demo data: a shop's customers and what they write, recorded at once or posted bit by bit."""
