"""The way out: the bell is heard, what changed is read once, framed once, and sent to all."""
