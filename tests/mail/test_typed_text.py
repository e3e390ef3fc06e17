"""What somebody has typed is in an e-mail on one line, of bounded length, and no link."""

import re

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.mail.models import Letter
from formation_portal.mail.rendering import render_letter
from tests.encrypted_rows import rows_with

LURE = "You have won.\r\n\r\nClaim it at https://evil.example/claim"

TYPED = {
    "Ada Byron": "Ada Byron",
    "Larkfield Holdings S.A.R.L. & Co. KG": "Larkfield Holdings S.A.R.L. & Co. KG",
    "J.R.R. Tolkien": "J.R.R. Tolkien",
    "Jean-Luc d’Arc": "Jean-Luc d’Arc",
    "نیک‌آیین": "نیک‌آیین",
    "Studio 3.14": "Studio 3.14",
    LURE: "You have won. Claim it at …",
    "Write to me@evil.example now": "Write to … now",
    "see www.evil.example": "see …",
    "see WWW.EVIL.EXAMPLE": "see …",
    "evil.example/claim": "evil. example/claim",
    "evil。example": "evil. example",
    "evil．example": "evil. example",
    "me＠evil.example": "…",
    "A\u2028B\u2029C\x0bD\x00E\u202eF\u200bG\ufeffH\tI": "A B C D E F G H I",
    "x" * 300: "x" * 79 + "…",
}


@pytest.mark.parametrize("typed", TYPED, ids=range(len(TYPED)))
def test_a_name_is_one_line_without_an_address(typed: str) -> None:
    rendered = render_letter(kind="confirmation", language="en", context={"name": typed, "link": "/x/"})
    assert f"Hello {TYPED[typed]},\n" in rendered.text


def test_a_title_and_each_of_a_list_are_so_too() -> None:
    given_ = {"company": LURE, "reference": "FP-1", "link": "/x/", "needs": [LURE], "more": 0}
    rendered = render_letter(kind="reminder", language="en", context=given_)
    for body in (rendered.subject, rendered.text, rendered.html):
        assert "evil" not in body
    assert "won.\n" not in rendered.text


@given(typed=st.text(max_size=200))
def test_whatever_is_typed_makes_no_second_line_and_no_address(typed: str) -> None:
    rendered = render_letter(kind="confirmation", language="en", context={"name": typed, "link": "/x/"})
    found = re.search(r"Hello (.*),\n", rendered.text)
    name = found[1] if found else ""
    assert len(name) <= 80
    assert len(name.splitlines()) <= 1
    assert not re.search(r"://|@|www\.|\w\.[^\W\d_]{2}", name)


@pytest.mark.django_db
def test_whoever_signs_up_with_anothers_address_writes_nothing_of_their_own_to_it() -> None:
    posted = {"first_name": LURE, "last_name": "<b>x</b>", "email": "ada@example.com", "password1": "a long passphrase"}
    Client().post("/accounts/signup/", posted)
    [letter] = rows_with(Letter.objects, to="ada@example.com")
    for body in (letter.subject, letter.text, letter.html):
        assert "evil" not in body
        assert "won.\n" not in body
    assert "<b>x" not in letter.html
