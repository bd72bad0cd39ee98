"""Opening hours: calendars, elapsed opening time, and policies that promise answers within it."""
