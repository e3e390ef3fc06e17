"""EMAIL_URL names a mail server, or says what is wrong without its password."""

import pytest

from formation_portal.core.servers.server_urls import mail_settings


def test_no_url_is_no_server() -> None:
    assert mail_settings("")["EMAIL_BACKEND"].endswith("dummy.EmailBackend")


@pytest.mark.parametrize(
    ("url", "port", "secrecy"),
    [
        ("smtp://mail.example", 25, None),
        ("smtp+tls://mail.example", 587, "EMAIL_USE_TLS"),
        ("smtps://mail.example", 465, "EMAIL_USE_SSL"),
        ("smtps://mail.example:4650", 4650, "EMAIL_USE_SSL"),
    ],
)
def test_the_scheme_says_how_the_line_is_kept_secret(url: str, port: int, secrecy: str | None) -> None:
    found = mail_settings(url)
    assert (found["EMAIL_HOST"], found["EMAIL_PORT"]) == ("mail.example", port)
    assert [name for name in ("EMAIL_USE_TLS", "EMAIL_USE_SSL") if found.get(name)] == ([secrecy] if secrecy else [])


def test_user_and_password_are_read_from_the_url() -> None:
    found = mail_settings("smtps://portal%40example.com:p%3Aw@mail.example")
    assert (found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"]) == ("portal@example.com", "p:w")


def test_emails_can_go_into_a_folder() -> None:
    assert mail_settings("file:///a/folder")["EMAIL_FILE_PATH"] == "/a/folder"
