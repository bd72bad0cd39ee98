"""Groups of settings that have a file of their own; `dashboard/config.py` reads them all."""
