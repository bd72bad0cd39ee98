"""The error in a query, with its place."""


class QueryError(ValueError):
    """A text that is no query: the place of the first wrong character, and what would be right.

    `at` counts characters from 0; it is the length of the text if the text ends too early.
    `expected` holds field names with their colon, values, operators, and descriptions such as "a
    time such as 10m"; it is empty if nothing may follow. `reason` is a sentence that explains the
    error in a text that has the form of a query.
    """

    def __init__(self, at: int, expected: tuple[str, ...] = (), reason: str = ""):
        super().__init__(f"wrong at {at}; expected: {', '.join(expected) or 'the end'}")
        self.at = at
        self.expected = expected
        self.reason = reason
