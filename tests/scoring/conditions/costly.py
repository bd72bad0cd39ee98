"""Costly queries."""

#: 17 groups of four conditions: 4^17 alternatives; their negation has 17.
MANY_GROUPS = " ".join(
    f"(tag:a{n} or member:{n % 6} or lang:v{chr(97 + n)} or waits:>1h)" for n in range(17)
)


def conditions(count: int) -> str:
    """Returns a query of so many conditions."""
    return " ".join(f"tag:a{number}" for number in range(count))


def wide_query(first: int) -> str:
    """Returns a query of more alternatives than the index takes; so has its negation."""
    groups = " ".join(
        f"(waits:>{n}m assigned:me or member:{n % 6} is:open or quiet:<{n}h)"
        for n in range(first, first + 5)
    )
    return f"({groups} or -({groups.replace('is:open', 'is:closed')}) tag:vip)"
