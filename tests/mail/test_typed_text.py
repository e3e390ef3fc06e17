"""What somebody has typed is in an e-mail on one line, of bounded length, and no link; an address leaves it out."""

import re
import unicodedata
from collections.abc import Mapping
from html import unescape
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils.html import urlize
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.mail.models import Email
from formation_portal.mail.rendering import KINDS_WITH_NAMES, render_email, sample_contexts
from formation_portal.mail.typed_text import LONGEST, text_in_email, validate_name
from tests.accounts.test_sign_up import NEW
from tests.markup import Markup

LURE = "You have won.\r\n\r\nClaim it at https://evil.example/claim"

TYPED = {
    "Ada Byron": "Ada Byron",
    "J.R.R. Tolkien": "J.R.R. Tolkien",
    "نیک‌آیین": "نیک‌آیین",
    "A: B/C, Ltd": "A: B/C, Ltd",
    LURE: "",
    "Write to me@evil.example now": "",
    "see WWW.EVIL.EXAMPLE": "",
    "evil.example/claim": "",
    "evil․example": "",
    "evil.\u200dexample": "",
    "me＠evil.example": "",
    "mailto:me": "",
    r"\\evil\share": "",
    "A\u2028B\u2029C\x0bD\x00E\u202eF\u200bG\ufeffH\tI\U000e0041J\u00adK": "A B C D E F G H I J K",
    "You have won\r\nBcc: all": "You have won Bcc: all",
    "x" * 300: "x" * 79 + "…",
}
# What hostile names are made of.
_LURES = st.sampled_from(
    ["http://", "https:", "www.", "evil", ".example", "/x", "@", "me@evil.example", ".", "。", "．", "\r\n", "\u200b",
     "\u200d", "\u202e", "\\\\", "mailto:", "1.2.3.4", "хост.рф", "xn--p1ai", " ", "\x00", "\u2028"]
)  # fmt: skip
_HOSTILE = st.one_of(st.text(max_size=200), st.lists(_LURES | st.text(max_size=3), max_size=12).map("".join))
# As a mail program finds them, whatever the portal looks for.
_LINKED = re.compile(r"\b(?:https?|ftp|mailto):|www\.|@|[^\W_][.\u3002\uff0e\uff61][^\W\d_]{2}", re.IGNORECASE)


@pytest.mark.parametrize("typed", TYPED, ids=range(len(TYPED)))
def test_a_name_is_one_line_and_is_left_out_with_an_address(typed: str) -> None:
    assert text_in_email(typed) == TYPED[typed]


@given(typed=_HOSTILE)
def test_whatever_is_typed_makes_no_second_line_and_no_link(typed: str) -> None:
    text = text_in_email(typed)
    assert len(text) <= LONGEST
    assert text == " ".join(text.split())
    assert _control_characters(text) == set()
    bare = text.replace("\u200c", "").replace("\u200d", "")
    assert not _LINKED.search(bare)
    assert "<a" not in urlize(bare, autoescape=True)
    assert text_in_email(text) == text


@given(typed=_HOSTILE)
def test_the_name_of_an_account_is_one_that_every_letter_may_say(typed: str) -> None:
    try:
        validate_name(typed)
    except ValidationError:
        return
    words = " ".join(unicodedata.normalize("NFKC", typed).split())
    assert text_in_email(typed) == (words if len(words) <= LONGEST else text_in_email(words))


def _hostile(context: Mapping[str, Any], lure: str) -> dict[str, Any]:
    texts = {name: lure for name, value in context.items() if isinstance(value, str) and not value.startswith("/")}
    texts.pop("outcome", None)
    lists = {name: [lure, lure] for name, value in context.items() if isinstance(value, list)}
    return {**context, **texts, **lists}


@pytest.mark.parametrize("kind", sorted(sample_contexts()))
def test_no_kind_of_letter_carries_a_lure(kind: str) -> None:
    context = sample_contexts()[kind]
    honest = render_email(kind=kind, language="en", context=context)
    for lure in (LURE, "see WWW.EVIL.EXAMPLE", "evil.\u200dexample", "You have won\r\nBcc: all", "x" * 300):
        email = render_email(kind=kind, language="en", context=_hostile(context, lure))
        assert email.subject.strip()
        assert email.subject.isprintable()
        assert email.text.count("\n") <= honest.text.count("\n")
        assert Markup(email.html).faults == []
        for text, meant in ((email.text, honest.text), (_words(email.html), _words(honest.html))):
            assert _control_characters(text) <= set("\n")
            assert _links(text) <= _links(meant)
            assert "evil" not in text
        assert _links(email.subject) == set()


def _control_characters(text: str) -> set[str]:
    """Those of a text, but for the two that join letters."""
    return {character for character in text if unicodedata.category(character)[0] == "C"} - set("\u200c\u200d")


def _words(html: str) -> str:
    return unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", html, flags=re.DOTALL))


def _links(text: str) -> set[str]:
    return set(re.findall(r'href="([^"]*)"', unescape(urlize(text)))) | {
        word for word in text.split() if _LINKED.search(word)
    }


def test_what_has_no_name_any_more_is_called_by_something_neutral() -> None:
    given_ = {"name": LURE, "company": "Private Limited Company", "reference": "FP-1", "link": "/x/"}
    email = render_email(kind="part_done", language="en", context=given_)
    assert email.subject == "Someone you invited has finished their part"
    given_ = {"company": "Larkfield", "reference": "FP-1", "link": "/x/", "needs": [LURE], "more": 1}
    email = render_email(kind="reminder", language="en", context=given_)
    assert "and 1 more." in email.text
    assert "Nothing is missing" not in email.text + email.html


@pytest.mark.parametrize("kind", sorted(set(sample_contexts()) - KINDS_WITH_NAMES))
def test_a_letter_to_an_address_that_nobody_has_confirmed_takes_no_name(kind: str) -> None:
    for name in ("name", "company", "needs", "message", "inviter"):
        with pytest.raises(ValueError, match=name):
            render_email(kind=kind, language="en", context={**sample_contexts()[kind], name: "Ada Byron"})


@pytest.mark.django_db
@pytest.mark.parametrize(("field", "typed"), [("first_name", "evil.example"), ("last_name", "me@evil.example")])
def test_a_name_with_an_address_opens_no_account_and_it_is_said_at_the_field(field: str, typed: str) -> None:
    page = Markup(Client().post("/accounts/signup/", NEW | {field: typed}).content.decode())
    control = page.one("input", name=field)
    assert control.attributes["aria-invalid"] == "true"
    [error] = [page.one("div", id=name) for name in control.attributes["aria-describedby"].split() if "error" in name]
    assert "without e-mail or web addresses" in error.text
    assert not Email.objects.exists()


@pytest.mark.django_db
def test_a_name_on_two_lines_becomes_one_line_of_a_letter() -> None:
    posted = NEW | {"first_name": "Ada\r\nBcc: all", "last_name": "d’Arc-Ó Néill"}
    assert Client().post("/accounts/signup/", posted).status_code == 302
    account = get_user_model().objects.get()
    assert (account.first_name, account.last_name) == ("Ada Bcc: all", "d’Arc-Ó Néill")
    assert Email.objects.get().to == "ada@example.com"
