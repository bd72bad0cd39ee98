"""The reasons why the provider does not sign a person in or out."""

from dashboard.errors import Problem


class ProviderUnavailable(Problem):
    """The provider cannot be reached, or its answer makes no sense; try again."""

    def __init__(self) -> None:
        super().__init__(
            503,
            "provider_unavailable",
            "The provider of accounts cannot be reached.",
            headers={"Retry-After": "5"},
        )


class SignInRefused(Problem):
    """The provider let nobody in, or refused the code: it was used before, or is too old."""

    def __init__(self) -> None:
        super().__init__(403, "provider_refused", "The provider of accounts refused the sign-in.")


class SignInInvalid(Problem):
    """A check of the provider's answer failed."""

    def __init__(self) -> None:
        super().__init__(403, "provider_answer_invalid", "The provider's answer is not valid.")


class InvalidLogoutToken(Problem):
    def __init__(self) -> None:
        super().__init__(400, "invalid_logout_token", "The logout token is not valid.")
