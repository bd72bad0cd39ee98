"""Tags of threads: what events and admins do to them."""
