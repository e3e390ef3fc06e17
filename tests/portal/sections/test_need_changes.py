"""A list of what is needed follows a change line by line: what goes, what comes, and where."""

from collections.abc import Sequence

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.portal.pages import Link
from formation_portal.portal.sections.changes import NeedChanges, need_changes
from tests.markup import Markup
from tests.portal.pages import page_at, section_url

PLACES = st.lists(st.sampled_from("abcdefgh"), unique=True)


def lines(places: Sequence[str], text: str = "Enter") -> tuple[Link, ...]:
    return tuple(Link(f"{text} {place}", f"#{place}", id=f"need-{place}") for place in places)


def after_changes(shown: Sequence[Link], changes: NeedChanges) -> list[Link]:
    """What a browser makes of it."""
    now = [one for one in shown if one.id not in changes.done]
    for id_, new in changes.new:
        at = [one.id for one in now].index(id_) if id_ else len(now)
        now[at:at] = new
    return now


@given(PLACES, PLACES, st.sets(st.sampled_from("abcdefgh")))
def test_the_list_that_a_page_shows_becomes_the_one_that_it_has_to_show(
    before: list[str], after: list[str], reworded: set[str]
) -> None:
    was = lines(before)
    now = tuple(one for place in after for one in lines(place, "Mend" if place in reworded else "Enter"))
    if (changes := need_changes(was, now)) is not None:
        assert after_changes(was, changes) == list(now)
    else:
        kept = [one for one in was if one in now]
        assert not was or not now or kept != [one for one in now if one in was]


def test_only_what_goes_and_comes_is_told() -> None:
    changes = need_changes(lines("acde"), lines("abcfg"))
    assert changes == NeedChanges(("need-d", "need-e"), (("need-c", lines("b")), ("", lines("fg"))))


@pytest.mark.parametrize(
    ("before", "after"),
    [("", "a"), ("a", ""), ("ab", "ba")],
    ids=["where nothing was needed", "where all is done", "another order"],
)
def test_a_list_is_drawn_anew(before: str, after: str) -> None:
    assert need_changes(lines(before), lines(after)) is None


@pytest.mark.django_db(databases=["default", "service"])
def test_an_answer_tells_what_the_page_shows_too_much_and_a_page_behind_others_gets_the_whole_list(
    as_owner: Client, application: Application
) -> None:
    page = page_at(as_owner, section_url(application))
    drawn = {name: page.one("input", name=name).attributes["value"] for name in ("version", "drawn")}

    def answer(**answers: str) -> str:
        """Post a change as script does, from the page that was drawn so."""
        post = drawn | {"partial": "1"} | {f"q:{name}": value for name, value in answers.items()}
        return as_owner.post(section_url(application), post, headers={"HX-Request": "true"}).content.decode()

    first = answer(name="Larkfield")
    assert [one.attributes["id"] for one in Markup(first).all("li")] == ["need-q:name"]
    assert "needs-section" not in first
    assert "Enter “Name”" not in Markup(answer(activity="Trading")).one("section", id="needs-section").text
    assert open_draft(application).entity_raw["xy.activity"] == "Trading"
