"""The server's own texts: in the language that people chose, or in their browser's."""

import pytest

from dashboard.languages import LOCALES

NOTHING = {"en": "There is nothing", "vi": "Không có gì ở địa chỉ", "ja": "このアドレスには何も"}
PAGE = {"Accept": "text/html"}


@pytest.mark.parametrize("locale", LOCALES)
def test_an_error_page_is_in_the_language_of_the_browser(dashboard, locale):
    browser = dashboard.client()
    answer = browser.get("/no-such-page", headers=PAGE | {"Accept-Language": f"{locale},fr;q=0.5"})
    page = answer.get_data(as_text=True)
    assert answer.status_code == 404 and f'<html lang="{locale}"' in page
    assert NOTHING[locale] in page
    assert {"Accept", "Accept-Language", "Cookie"} <= set(answer.vary.as_set(preserve_casing=True))
    json_answer = browser.get("/no-such-page", headers={"Accept-Language": locale})
    assert json_answer.json["detail"] == "There is nothing at this address."


def test_an_admin_gets_pages_in_the_language_that_was_chosen(dashboard, mai):
    mai.patch("/admin/api/me/preferences", json={"locale": "ja"})
    headers = PAGE | {"Accept-Language": "vi"}
    forbidden = mai.get("/settings/webhooks", headers=headers)
    assert forbidden.status_code == 403
    page = forbidden.get_data(as_text=True)
    assert "許可されていません" in page and "スーパーバイザー" in page
    assert NOTHING["ja"] in mai.get("/x", headers=headers).get_data(as_text=True)
    mai.delete_cookie("lineup_session")
    assert "メールアドレス" in mai.get("/login", headers=headers).get_data(as_text=True)


def test_a_choice_that_is_already_kept_reaches_another_browser(dashboard, mai):
    mai.patch("/admin/api/me/preferences", json={"locale": "vi"})
    mai.delete_cookie("lineup_locale")
    assert NOTHING["en"] in mai.get("/x", headers=PAGE).get_data(as_text=True)
    mai.get("/", headers=PAGE)
    assert NOTHING["vi"] in mai.get("/x", headers=PAGE).get_data(as_text=True)


@pytest.mark.parametrize(
    ("locale", "said"),
    [("en", "The email address or"), ("vi", "Email hoặc mật khẩu"), ("ja", "パスワードが違います")],
)
def test_a_refused_sign_in_is_told_in_the_browsers_language(dashboard, locale, said):
    answer = dashboard.client().post(
        "/login",
        data={"email": "mai@example.com", "password": "wrong"},
        headers={"Accept-Language": locale} | PAGE,
    )
    assert said in answer.get_data(as_text=True)
