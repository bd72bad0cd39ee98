"""How one signs in to this application: by password, by a provider of accounts, or both."""

from typing import NamedTuple

from flask import Blueprint, current_app

from dashboard.errors import Problem

#: The name under which an application's configuration has its methods.
_CONFIG = "LINEUP_SIGN_IN_METHODS"


class SignInMethods(NamedTuple):
    """`provider` is the name that the sign-in page shows; "" where there is none."""

    passwords: bool = True
    provider: str = ""


def install(blueprint: Blueprint, methods: SignInMethods) -> None:
    """The application that this blueprint is registered in has these methods."""
    blueprint.record_once(lambda state: state.app.config.update({_CONFIG: methods}))


def sign_in_methods() -> SignInMethods:
    """Those of the current request's application."""
    return current_app.config.get(_CONFIG, SignInMethods())


def require_passwords() -> None:
    """Before a call that checks, sets or asks for a password. Raises Problem (403)."""
    if not sign_in_methods().passwords:
        raise Problem(
            403, "password_signin_off", "Accounts sign in with the provider; passwords are off."
        )
