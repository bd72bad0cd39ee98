"""Every refusal is described, has a text in each language, and every text is used."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[4]
TEXTS = ROOT / "static" / "i18n"
#: Calls that get a code, and the position of the code among their arguments.
NAMING = {"fault": 0, "_unreadable": 0} | dict.fromkeys(
    ("Problem", "FieldError", "field_error", "Refusal", "_wrong", "__init__"), 1
)
#: Dictionaries that hold codes: of statuses, and of what the validation library says.
TABLES = {"_KNOWN", "_CODES"}
#: The pages of invitations and of the sign-in have texts of their own; no browser writes such a
#: request.
NEVER = {
    *("invitation_over", "second_factor_required", "sign_in_expired"),
    *("version_not_supported", "coding_not_implemented"),
    "range_not_satisfiable",
}
#: Shown on the sign-in page, which has texts of its own, or told to the provider.
AT_SIGN_IN = {
    *("provider_unavailable", "provider_refused", "provider_answer_invalid", "signin_not_begun"),
    *("no_access", "email_unverified", "account_conflict", "account_disabled"),
    "signed_out_meanwhile",
}
TO_THE_PROVIDER = {"invalid_logout_token"}
#: Texts without a code: no answer, or an answer without a known code.
WITHOUT_CODE = {"network", "other"}


def codes_of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = getattr(function, "id", getattr(function, "attr", ""))
            given = node.args[NAMING[name] :][:1] if name in NAMING else []
            yield from (each.value for each in given if is_text(each))
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in TABLES:
            pairs = node.value.values if isinstance(node.value, ast.Dict) else []
            yield from (pair.elts[0].value for pair in pairs if isinstance(pair, ast.Tuple))


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@cache
def codes() -> set[str]:
    """Every code of a problem in our sources."""
    return {
        code
        for path in (*(ROOT / "dashboard").rglob("*.py"), ROOT / "scoring/sorting/checks.py")
        for code in codes_of(ast.parse(path.read_text(encoding="utf-8")))
    }


def test_every_refusal_has_a_text_and_every_text_a_refusal() -> None:
    for path in sorted(TEXTS.glob("*.json")):
        texts = json.loads(path.read_text(encoding="utf-8"))
        # `error.CODE.FIELD` is shown where the code has a special meaning at that field.
        worded = {key.split(".")[1] for key in texts if key.startswith("error.")}
        assert worded - WITHOUT_CODE == codes() - NEVER - AT_SIGN_IN - TO_THE_PROVIDER, path.name


def test_every_refusal_of_a_sign_in_has_a_text_on_its_page() -> None:
    assert codes() >= AT_SIGN_IN | TO_THE_PROVIDER
    for path in sorted((TEXTS / "login").glob("*.json")):
        texts = json.loads(path.read_text(encoding="utf-8"))
        assert {code for code in AT_SIGN_IN if f"login.{code}" not in texts} == set(), path.name


def test_the_protocol_lists_every_code_and_no_other() -> None:
    protocol = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    _, _, rest = protocol.partition("| status | meaning | codes |\n")
    rows = rest.partition("\n\n")[0].splitlines()
    listed = {code for row in rows for code in re.findall(r"`([a-z_0-9]+)`", row.split("|")[3])}
    assert listed == codes()
