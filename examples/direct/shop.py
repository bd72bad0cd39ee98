"""A shop with the chat window on its page, and the gateway beside it, to try both.

A real shop does what `visitor` does, in any language: it signs who its visitor is.
"""

import os
import secrets
import time
from hashlib import sha256
from pathlib import Path

from flask import Flask, Response, render_template, request
from gateway import serve
from joserfc import jwt
from joserfc.jwk import OctKey
from werkzeug.serving import make_server

FOLDER = Path(__file__).parent / "shop"
COOKIE = "shop_visitor"
TOKEN_SECONDS = 600
COOKIE_SECONDS = 30 * 24 * 3_600


def shop(visitor_secret: str, gateway: str) -> Flask:
    """Returns the shop's application. `gateway`: the address of the gateway, with a slash at the
    end; a path if the shop serves it itself."""
    app = Flask(__name__, template_folder=str(FOLDER), static_folder=str(FOLDER / "static"))
    key = OctKey.import_key(visitor_secret)
    origin = gateway.rpartition("/")[0] if "//" in gateway else ""
    policy = (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'; "
        f"script-src 'self' {origin}; connect-src 'self' {origin}"
    )

    @app.get("/")
    def page() -> Response:
        answer = Response(render_template("page.html", gateway=gateway))
        answer.headers["Content-Security-Policy"] = policy
        return known(answer)[0]

    @app.get("/visitor")
    def visitor() -> Response:
        """Answers the signed name of the visitor, whom a cookie tells from others."""
        answer, id = known(Response(mimetype="text/plain", headers={"Cache-Control": "no-store"}))
        claims = {"sub": f"visitor-{id}", "name": f"Visitor {id[:4]}"}
        expires = {"exp": int(time.time()) + TOKEN_SECONDS}
        answer.set_data(jwt.encode({"alg": "HS256"}, claims | expires, key))
        return answer

    return app


def known(answer: Response) -> tuple[Response, str]:
    """Adds the cookie to an answer; returns the visitor's id, from which it cannot be guessed."""
    cookie = request.cookies.get(COOKIE) or secrets.token_urlsafe(16)
    is_https = request.is_secure
    answer.set_cookie(
        COOKIE, cookie, COOKIE_SECONDS, httponly=True, samesite="Lax", secure=is_https
    )
    return answer, sha256(cookie.encode()).hexdigest()[:16]


def main() -> None:
    """GATEWAY is the address of a gateway; without it the shop serves one itself."""
    gateway = os.environ.get("GATEWAY", "/chat/")
    app = shop(os.environ["VISITOR_SECRET"], gateway)
    if "//" in gateway:
        port = int(os.environ.get("PORT", "8091"))
        make_server("127.0.0.1", port, app, threaded=True).serve_forever()
    else:
        serve(app, "/chat")


if __name__ == "__main__":
    main()
