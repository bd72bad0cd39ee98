"""Why somebody is not signed in by the provider, or not signed out."""

from dashboard.errors import Problem


class ProviderUnavailable(Problem):
    """The provider cannot be reached, or answers nonsense; try again."""

    def __init__(self) -> None:
        super().__init__(
            503,
            "provider_unavailable",
            "The provider of accounts cannot be reached.",
            headers={"Retry-After": "5"},
        )


class SignInRefused(Problem):
    """The provider let nobody in, or took no code: it was used before, or is too old."""

    def __init__(self) -> None:
        super().__init__(403, "provider_refused", "The provider of accounts refused the sign-in.")


class SignInInvalid(Problem):
    """What the provider says does not hold."""

    def __init__(self) -> None:
        super().__init__(403, "provider_answer_invalid", "The provider's answer is not valid.")


class InvalidLogoutToken(Problem):
    def __init__(self) -> None:
        super().__init__(400, "invalid_logout_token", "The logout token is not valid.")
