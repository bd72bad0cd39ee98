"""The sign-in methods of this application: by password, by a provider of accounts, or both."""

from typing import NamedTuple

from flask import Blueprint, current_app

from dashboard.errors import Problem

#: The key of an application's methods in its configuration.
_CONFIG = "LINEUP_SIGN_IN_METHODS"


class SignInMethods(NamedTuple):
    """`provider` is the name that the sign-in page shows; "" if there is none."""

    passwords: bool = True
    provider: str = ""


def install(blueprint: Blueprint, methods: SignInMethods) -> None:
    """Gives these methods to the application in which this blueprint is registered."""
    blueprint.record_once(lambda state: state.app.config.update({_CONFIG: methods}))


def sign_in_methods() -> SignInMethods:
    """Returns the methods of the current request's application."""
    return current_app.config.get(_CONFIG, SignInMethods())


def require_passwords() -> None:
    """Refuses calls that check, set or ask for a password. Raises Problem (403)."""
    if not sign_in_methods().passwords:
        raise Problem(
            403, "password_signin_off", "Accounts sign in with the provider; passwords are off."
        )
