"""Files of admins: how they are received, stored, addressed and removed."""
