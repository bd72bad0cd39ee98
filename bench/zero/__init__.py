"""Zero, a sync engine, with a desk's saved views: how long until each list and badge is exact."""
