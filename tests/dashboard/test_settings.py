"""Settings that are checked at the start, those of sign-in by OpenID Connect among them."""

from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from dashboard import ROOT
from dashboard.errors import StartError
from dashboard.settings import Grant, Settings, instance_folder, parse_groups


def picture_hosts(text: str) -> tuple[str, ...]:
    return Settings.from_environment({"LINEUP_PICTURE_HOSTS": text}, Path("instance")).picture_hosts


def test_hosts_of_pictures_are_hosts_and_nothing_else():
    assert picture_hosts("") == picture_hosts(" , ") == ()
    assert picture_hosts("CDN.shop.example, img.example:8443") == (
        "cdn.shop.example",
        "img.example:8443",
    )


@pytest.mark.parametrize(
    "text",
    [
        "https://cdn.example",
        "*",
        "*.example",
        "cdn.example/pictures",
        "a b",
        "a.example; x",
        "'self'",
    ],
)
def test_what_is_no_host_of_pictures_stops_the_start(text):
    with pytest.raises(StartError, match="LINEUP_PICTURE_HOSTS must be hosts such as"):
        picture_hosts(text)


@pytest.mark.parametrize(
    "origin", ["desk.example", "https://desk.example:", "https://me@desk.example", "https://:443"]
)
def test_an_origin_that_no_browser_sends_stops_the_start(origin):
    with pytest.raises(StartError, match="LINEUP_ORIGINS must be origins such as"):
        Settings.from_environment({"LINEUP_ORIGINS": origin}, Path("instance"))


def test_the_database_is_in_its_folder_however_that_is_named():
    folder = Path("/srv/feature%2Fdesk?/ü")
    url = make_url(Settings.from_environment({}, folder).database_url)
    assert (url.database, dict(url.query)) == (str(folder / "lineup.sqlite"), {})


def test_own_files_are_in_the_checkout_or_where_lineup_is_started(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert instance_folder({}) == ROOT / "instance"
    monkeypatch.setattr("dashboard.settings.IS_CHECKOUT", False)
    assert instance_folder({"LINEUP_HOME": ""}) == tmp_path / "instance"
    assert instance_folder({"LINEUP_HOME": "/srv/desk"}) == Path("/srv/desk/instance")


def test_history_has_a_number_of_days():
    def history_days(**given: str) -> int:
        return Settings.from_environment(given, Path("instance")).history_days

    assert (history_days(), history_days(LINEUP_HISTORY_DAYS="1")) == (90, 1)
    assert history_days(LINEUP_HISTORY_DAYS="36500") == 36_500
    sentence = "LINEUP_HISTORY_DAYS must be a whole number from 1 to 36500, not “%s”."
    for wrong in ("0", "36501", "-1", "1.5", "many"):
        with pytest.raises(StartError) as error:
            history_days(LINEUP_HISTORY_DAYS=wrong)
        assert str(error.value) == sentence % wrong


def test_an_environment_file_may_have_gone_through_an_editor():
    given = {"\ufeffLINEUP_HISTORY_DAYS": "7\r", "LINEUP_SECRET_KEY": "x" * 40 + "\r\n"}
    settings = Settings.from_environment(given, Path("instance"))
    assert (settings.history_days, settings.secret_key) == (7, "x" * 40)
    assert instance_folder({"\ufeffLINEUP_HOME": "/srv/desk\r"}) == Path("/srv/desk/instance")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql+psycopg2://u:hush@h/db", "leave out “+psycopg2”."),
        ("postgresql+asyncpg://u:hush@h/db", "leave out “+asyncpg”."),
        ("sqlite+aiosqlite:////tmp/hush", "leave out “+aiosqlite”."),
        ("postgresql://u:hush@b:hush@host/db", "the port is not a number."),
        ("postgresql://u:hush@host:port/db", "the port is not a number."),
    ],
)
def test_a_wrong_url_of_the_database_is_a_sentence_without_the_password(url, said):
    with pytest.raises(StartError) as error:
        settings(LINEUP_DATABASE_URL=url)
    assert said in str(error.value) and "hush" not in str(error.value)
    assert error.value.__suppress_context__ or error.value.__context__ is None


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_has_one_driver(scheme):
    url = settings(LINEUP_DATABASE_URL=f"{scheme}://u:p@h:1/db").database_url
    assert url == "postgresql+psycopg://u:p@h:1/db"


def test_a_folder_of_files_that_cannot_be_read_is_said_in_a_sentence():
    with pytest.raises(StartError, match=r"^LINEUP_FILES: “/x+” cannot be read: File name too"):
        settings(LINEUP_FILES="/" + "x" * 300)


WHOLE = {
    "LINEUP_OIDC_ISSUER": "https://id.example/realms/shop",
    "LINEUP_OIDC_CLIENT_ID": "lineup",
    "LINEUP_OIDC_CLIENT_SECRET": "secret",
    "LINEUP_OIDC_GROUPS": "support=admin:main,sales; leads=supervisor",
}


def settings(**given: str) -> Settings:
    return Settings.from_environment(given, Path("instance"))


def test_without_them_passwords_are_taken_and_there_is_no_provider():
    assert (settings().oidc, settings().sign_in) == (None, "password")


def test_what_is_not_set_has_a_default():
    oidc = settings(**WHOLE).oidc
    assert oidc is not None
    assert (oidc.groups_claim, oidc.scopes, oidc.name) == (
        *("groups", "openid email profile"),
        "id.example",
    )
    more = {"LINEUP_OIDC_SCOPES": "openid  groups", "LINEUP_OIDC_NAME": "Shop"}
    oidc = settings(**WHOLE, **more, LINEUP_OIDC_GROUPS_CLAIM="roles").oidc
    assert oidc is not None
    assert (oidc.groups_claim, oidc.scopes, oidc.name) == ("roles", "openid groups", "Shop")


def test_groups_say_role_and_desks():
    assert parse_groups(" support = admin : main , sales ;leads=supervisor; a=b=admin;") == {
        "support": Grant("admin", frozenset({"main", "sales"})),
        "leads": Grant("supervisor", frozenset()),
        "a=b": Grant("admin", frozenset({"main"})),
    }
    assert set(parse_groups("/company/Support Team:1=admin:sales")) == {"/company/Support Team:1"}


def test_the_strongest_role_and_all_desks_count():
    text = WHOLE["LINEUP_OIDC_GROUPS"] + "; billing=admin:billing"
    oidc = settings(**WHOLE | {"LINEUP_OIDC_GROUPS": text}).oidc
    assert oidc is not None
    assert oidc.granted(["billing", "support"]) == Grant(
        "admin", frozenset({"main", "sales", "billing"})
    )
    assert oidc.granted(["billing", "leads"]) == Grant("supervisor", frozenset({"billing"}))
    assert oidc.granted(["Support", "others"]) is None
    assert oidc.granted([]) is None


@pytest.mark.parametrize("missing", WHOLE)
def test_they_are_set_together(missing):
    given = {name: value for name, value in WHOLE.items() if name != missing}
    with pytest.raises(StartError, match=f"^{missing} is missing"):
        settings(**given)


def test_options_alone_are_refused():
    with pytest.raises(StartError, match="LINEUP_OIDC_ISSUER is missing"):
        settings(LINEUP_OIDC_NAME="Shop")


@pytest.mark.parametrize(
    "issuer",
    [
        "http://id.example",
        "id.example",
        "https://",
        "https://id.example?x=1",
        "https://id.example#x",
        "https://user@id.example",
        "https://id.example:port",
        "ftp://id.example",
        f"https://id.example/{'x' * 255}",
    ],
)
def test_an_issuer_is_an_https_address(issuer):
    with pytest.raises(StartError, match="LINEUP_OIDC_ISSUER must be"):
        settings(**WHOLE | {"LINEUP_OIDC_ISSUER": issuer})


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_an_issuer_on_this_machine_may_do_without_tls(host):
    assert settings(**WHOLE | {"LINEUP_OIDC_ISSUER": f"http://{host}:8080"}).oidc is not None


@pytest.mark.parametrize(
    "groups",
    [
        ";",
        "support",
        "=admin",
        "support=",
        "support=owner",
        "support=admin:",
        "support=admin:Main",
        "support=admin:a b",
        "support=admin; support=supervisor",
    ],
)
def test_groups_that_cannot_be_read_stop_the_start(groups):
    with pytest.raises(StartError, match="LINEUP_OIDC_GROUPS"):
        settings(**WHOLE | {"LINEUP_OIDC_GROUPS": groups})


def test_passwords_are_off_with_a_provider_alone():
    assert settings(**WHOLE, LINEUP_SIGNIN="oidc").sign_in == "oidc"
    with pytest.raises(StartError, match="LINEUP_SIGNIN=oidc needs"):
        settings(LINEUP_SIGNIN="oidc")
    with pytest.raises(StartError, match="LINEUP_SIGNIN must be one of"):
        settings(**WHOLE, LINEUP_SIGNIN="saml")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LINEUP_OIDC_SCOPES", "email profile"),
        ("LINEUP_OIDC_NAME", "x" * 41),
        ("LINEUP_OIDC_NAME", "a\nb"),
    ],
)
def test_an_option_that_is_wrong_is_named(name, value):
    with pytest.raises(StartError, match=name):
        settings(**WHOLE | {name: value})
