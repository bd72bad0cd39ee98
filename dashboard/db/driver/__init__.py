"""Statements that bypass SQLAlchemy and run on the driver, because each event needs them."""
