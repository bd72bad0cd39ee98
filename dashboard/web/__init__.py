"""HTTP: the bot API, the dashboard and its API, signing in, and the server that runs them."""
