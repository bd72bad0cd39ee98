"""Files of messages in the page."""
