"""What calls of the dashboard have in common: JSON in, JSON out, and from our own pages only."""

from typing import Any, TypeVar

from flask import Response, jsonify, request
from pydantic import ValidationError

from dashboard.errors import Problem
from dashboard.intake import strict_json
from dashboard.intake.field_errors import invalid
from dashboard.intake.fields import Strict
from dashboard.web.origins import Origins

Model = TypeVar("Model", bound=Strict)

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def is_json() -> bool:
    return request.mimetype == "application/json"


def require_json() -> None:
    """Raises 415: what a form of another page can send is refused by its type alone."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem(
            415, "unsupported_content_encoding", "Bodies are taken without Content-Encoding."
        )
    if not is_json():
        raise Problem(415, "unsupported_media_type", "Send JSON: Content-Type: application/json.")


def require_our_page(origins: Origins) -> None:
    """Before each request: what changes something comes from our pages, as JSON."""
    if request.method not in _SAFE_METHODS:
        origins.check_origin(request.environ)
        # No form sends DELETE, which says all by its address.
        if request.method != "DELETE" or request.content_length:
            require_json()


def answer(body: Any, status: int = 200) -> Response:
    """JSON that nobody keeps."""
    response = jsonify(body)
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"
    return response


def document() -> Any:
    """The body's value; an empty one counts as `{}`. Raises Problem (400)."""
    data = request.get_data()
    return strict_json.loads(data) if data else {}


def parsed(model: type[Model]) -> Model:
    """The body as one of our models. Raises Problem (400) and Invalid."""
    try:
        return model.model_validate(document())
    except ValidationError as error:
        raise invalid(error) from None
