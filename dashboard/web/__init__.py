"""HTTP: the bot API, the dashboard and its API, and the server that runs them."""
