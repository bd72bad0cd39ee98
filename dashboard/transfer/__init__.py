"""Takes events out of a Lineup and into another one: lines of JSON, as the bot API takes events."""
