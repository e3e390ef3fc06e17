"""States outside an application, for pictures and barriers: e-mails, help, a session's end, error pages."""

from collections.abc import Iterator
from functools import partial

from django.contrib.sessions.models import Session
from django.test import override_settings
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.mail.models import Email
from formation_portal.mail.outbox import queue_email, unsubscribe_path
from formation_portal.mail.rendering import sample_contexts
from formation_portal.portal.site.pages import ERRORS, TEXTS
from formation_portal.ui.sessions import WARN_SECONDS
from tests.journeys.page_states.screenshots import Shot, press


def mail_and_session_states() -> Iterator[Shot]:
    """The customer ends up signed out."""
    yield Shot("letters-none", "/letters/", who="nobody")
    for kind, context in sample_contexts().items():
        queue_email(kind=kind, to="ingrid@example.com", language="en", context=context)
    Email.objects.filter(kind="code").update(error="SMTPRecipientsRefused", tries=3)
    Email.objects.filter(kind="decision").update(error="SMTPRecipientsRefused", next_at=None)
    Email.objects.filter(kind="confirmation").update(to="", subject="", text="", html="", next_at=None)
    yield Shot("letters", "/letters/", who="nobody")
    reminder = Email.objects.get(kind="reminder")
    yield Shot("letter", f"/letters/{reminder.number}/", who="nobody", act=_open_text)
    yield Shot("letter-html", "/letters/", who="nobody", act=partial(_show, reminder.html))
    yield Shot("gallery-letters", "/gallery/letters/", who="nobody")
    refusal = unsubscribe_path(kind="reminder", to="ingrid@example.com")
    yield Shot("letter-refusal", refusal, who="nobody")
    yield Shot("letter-refused", refusal, who="nobody", act=_refuse)
    yield Shot("help", "/help/", who="nobody")
    yield from (Shot(name, f"/{name}/", who="nobody") for name in TEXTS)
    yield Shot("display", "/display/?page=/help/")
    yield Shot("account-menu", "/applications/", act=open_account_menu)
    yield Shot("help-place", "/help/NL/")
    yield from (Shot(f"fault-{name}", f"/gallery/errors/{name}/", who="nobody") for name in ERRORS)
    yield from _session()


def _session() -> Iterator[Shot]:
    yield Shot("session", "/session/")
    with override_settings(SESSION_COOKIE_AGE=WARN_SECONDS + 1):
        yield Shot("session-warned", "/applications/", act=_wait_for_warning)
        yield Shot("session-extended", "/applications/", act=_stay)
        yield Shot("session-ended", "/applications/", act=_come_too_late)


def open_account_menu(tab: Tab) -> None:
    """The menu opens without script."""
    tab.locator("button[popovertarget=account]").click()
    expect(tab.get_by_role("link", name="Change password")).to_be_visible()


def _open_text(tab: Tab) -> None:
    tab.get_by_text("Plain text").click()


def _show(html: str, tab: Tab) -> None:
    # As the page of its own no script may look at it, and so no search for barriers.
    tab.goto("about:blank")
    tab.set_content(html)


def _refuse(tab: Tab) -> None:
    press(tab, "Stop these e-mails")


def _wait_for_warning(tab: Tab) -> None:
    expect(tab.locator("#session")).to_contain_text("You will be signed out on", timeout=20_000)


def _stay(tab: Tab) -> None:
    _wait_for_warning(tab)
    tab.get_by_role("button", name="Stay signed in").click()
    expect(tab.locator("#session")).to_contain_text("You stay signed in until")


def _come_too_late(tab: Tab) -> None:
    _wait_for_warning(tab)
    Session.objects.all().delete()
    tab.get_by_role("button", name="Stay signed in").click()
    expect(tab.locator("#session")).to_contain_text("You have been signed out")
