"""Who is here, and since when: people, their connections and their rooms, on Redis alone."""
