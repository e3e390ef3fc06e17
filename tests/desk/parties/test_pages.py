"""A party under review: what is to be checked, what was made of it, what changed, and where the review goes on."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from PIL import Image

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Document
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.desk.documents import ViewerState
from formation_portal.desk.parties.viewer import Viewer
from formation_portal.reviews.checks import opened_documents
from formation_portal.reviews.models import Evidence, Query
from formation_portal.reviews.queries import delete_draft
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.decision_setup import case_page, documents_of, hidden_values, path, sound
from tests.desk.review_rounds import accept_at, again, ask_at, change_ada, replace_passport, return_it
from tests.documents import sample_files
from tests.encrypted_rows import update_each
from tests.markup import Element, Markup

BIRTH = Target.of_field("ada", "person.date_of_birth")
NAME = Target.of_field("ada", "person.first_name")
PASSPORT = Target.of_document("ada", "Passport")
ROLES = Target(TargetKind.PARTY, "ada")
INGRID = factories.ADA | {"person.first_name": "Ingrid", "person.last_name": "Solheim"}


@pytest.fixture
def submitted(draft: Draft, owner: Any) -> Draft:
    """Two directors, one of them the shareholder, handed in."""
    factories.fill_in(draft, owner)
    services.add_party(draft, "person", ["director"], INGRID, by=owner, token="ingrid")
    services.add_document(draft, draft.party("ingrid"), "Passport", factories.upload(), by=owner)
    services.submit(draft, by=owner)
    return draft


def address(draft: Draft, token: str = "ada") -> str:
    return path(draft, f"parties/{token}/")


def page(client: Client, draft: Draft, token: str = "ada", query: str = "") -> Markup:
    markup = sound(client.get(address(draft, token) + query))
    assert markup.unlabelled() == []
    return markup


def fact(markup: Markup, label: str) -> Element:
    [found] = [
        one for one in markup.all("li") if one.attributes.get("class", "").startswith("fact") and label in one.text
    ]
    return found


def words(element: Element) -> str:
    return " ".join(element.text.split())


def boxes(markup: Markup) -> list[str]:
    return [one.attributes["value"] for one in markup.all("input", type="checkbox", name="place")]


def press_all(client: Client, draft: Draft, token: str) -> None:
    markup = page(client, draft, token)
    form = markup.one("form", id="checks")
    posts = hidden_values(markup, form) | {"all": [markup.one("button", name="all").attributes["value"]]}
    posts["unseen"] = [str(number) for number in documents_of(draft)]
    assert client.post(form.attributes["action"], posts).status_code == 302


def test_of_many_parties_the_nearest_stand_beside(submitted: Draft, as_agent: Client) -> None:
    factories.add_people(submitted, 62)
    for token, first, last, following in (
        ("ada", "ada", "crowd20", "ingrid"),
        ("crowd32", "crowd22", "crowd42", "crowd33"),
        ("crowd61", "crowd41", "crowd61", "ada"),
    ):
        markup = page(as_agent, submitted, token)
        navigation = markup.one("nav", aria_label="People and companies in this case")
        links = [one.attributes["href"] for one in markup.all("a") if navigation in one.ancestors]
        assert links[0] == address(submitted, first)
        assert links[20:] == [address(submitted, last), path(submitted, "#people")]
        assert "All 62 people and companies" in navigation.text
        assert markup.all("a", data_key="n")[0].attributes["href"] == address(submitted, following)


def test_one_button_accepts_the_rest_and_leads_on(submitted: Draft, as_agent: Client, agent: Any) -> None:
    ask_at(submitted, BIRTH, agent, "The passport says 1984")
    markup = page(as_agent, submitted)
    assert "The passport says 1984" in fact(markup, "Date of birth").text
    assert str(BIRTH) not in [*boxes(markup), *(one.attributes["value"] for one in markup.all("input", name="left"))]
    press_all(as_agent, submitted, "ada")
    markup = page(as_agent, submitted)
    assert boxes(markup) == []
    [onwards, *_] = markup.all("a", data_key="n")
    assert (words(onwards), onwards.attributes["href"]) == ("Next: Ingrid Solheim", address(submitted, "ingrid"))
    press_all(as_agent, submitted, "ingrid")
    [onwards, *_] = page(as_agent, submitted, "ingrid").all("a", data_key="n")
    assert words(onwards) == "Next: Larkfield Holdings: company answers"
    delete_draft(submitted, Query.objects.get().pk, by=agent, version=current_version(submitted.application))
    factories.accept_everything(submitted, by=agent)
    [onwards, *_] = page(as_agent, submitted).all("a", data_key="n")
    assert onwards.attributes["href"] == path(submitted, "#decide")


def test_the_second_round_shows_old_beside_new(submitted: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    accept_at(submitted, NAME, BIRTH, PASSPORT, ROLES, by=agent)
    last_name = Target.of_field("ada", "person.last_name")
    for target, text in ((last_name, "The passport has another"), (WHOLE_APPLICATION, "Look at all of it again")):
        ask_at(submitted, target, agent, text)
    again(submitted, agent, owner, lambda draft: change_ada(draft, owner, {"person.first_name": "Augusta"}))
    accept_at(submitted, NAME, by=agent)
    return_it(submitted, agent)
    roles = ["shareholder", "director", "manager"]
    for first, last in (("Ada Augusta", "Byron"), ("Augusta Ada", "King")):
        change_ada(submitted, owner, {"person.first_name": first, "person.last_name": last}, roles=roles)
    replace_passport(submitted, owner)
    services.submit(factories.again(submitted), by=owner)
    markup = page(as_agent, submitted)
    assert "Was Augusta Now Augusta Ada" in words(fact(markup, "First name")), "as it was accepted last"
    assert "Changed since accepted" in fact(markup, "First name").text
    assert "Was Lovelace Now King" in words(fact(markup, "Last name"))
    assert "Changed since queried" in fact(markup, "Last name").text
    assert "Was passport.pdf (" in words(fact(markup, "new.pdf"))
    assert "Was Director, shareholder Now" in words(fact(markup, "At least 1"))
    assert "Was" not in fact(markup, "Date of birth").text
    assert "Accepted" in fact(markup, "Date of birth").text
    left = [one.attributes["value"] for one in markup.all("input", name="left")]
    assert str(NAME) in left
    assert str(last_name) not in left
    assert str(last_name) in boxes(markup)


def test_the_viewer_shows_the_page_that_the_address_names(submitted: Draft, as_agent: Client) -> None:
    Document.objects.filter(party__token="ada").update(findings={"pages": 3, "codes": []})
    number = Document.objects.get(party__token="ada").pk
    markup = page(as_agent, submitted, query=f"?open=1&document={number}&page=2&zoom=150")
    picture = f"{path(submitted)}documents/{number}/pages/2/picture/?size=close"
    assert markup.one("img").attributes["src"] == picture
    pages = [one for one in markup.all("a") if one.attributes.get("id", "").startswith("look-page-")]
    assert ["aria-current" in one.attributes for one in pages] == [False, True, False]
    back = f"{address(submitted)}?document={number}&page=2&zoom=150"
    assert {one.attributes["value"].partition("#")[0] for one in markup.all("input", name="back")} == {back}
    # The viewer alone comes with who has opened the document by now.
    answer = as_agent.get(address(submitted), headers={"HX-Request": "true", "HX-Target": "viewer"})
    assert Markup(answer.content.decode()).one("p", id=f"seen-{number}")


def test_nobody_is_found_by_a_wrong_token_or_at_another_case(submitted: Draft, as_agent: Client, owner: Any) -> None:
    assert as_agent.get(address(submitted, "nobody")).status_code == 404
    other = factories.new_draft(owner)
    services.add_party(other, "person", ["director"], factories.ADA, by=owner, token="ada")
    assert as_agent.get(address(other)).status_code == 404


def test_it_costs_a_fixed_number_of_queries(
    submitted: Draft, as_agent: Client, agent: Any, owner: Any, django_assert_max_num_queries: Any
) -> None:
    as_agent.get(address(submitted))
    with django_assert_max_num_queries(19):
        as_agent.get(address(submitted))
    return_it(submitted, agent)
    for number in range(4):
        services.add_party(submitted, "person", ["director"], INGRID, by=owner, token=f"more{number}")
        services.add_document(submitted, submitted.party(f"more{number}"), "Passport", factories.upload(), by=owner)
    services.submit(submitted, by=owner)
    with django_assert_max_num_queries(21):
        as_agent.get(address(submitted))


def test_a_close_picture_is_larger_and_each_look_is_kept(draft: Draft, as_agent: Client, owner: Any) -> None:
    factories.fill_in(draft, owner)
    scan = factories.upload(sample_files.jpeg(2600, 400), "scan.jpg")
    number = services.add_document(draft, draft.party("ada"), "Passport", scan, by=owner).pk
    services.submit(draft, by=owner)
    Entry.objects.all().delete()
    picture = f"{path(draft)}documents/{number}/pages/1/picture/"
    widths = [Image.open(BytesIO(as_agent.get(picture + size).content)).width for size in ("", "?size=close")]
    assert widths == [1400, 2400]
    assert not Entry.objects.exists()


def test_a_document_is_opened_by_a_link_alone(submitted: Draft, as_agent: Client, as_colleague: Client) -> None:
    Document.objects.filter(party__token="ada").update(findings={"pages": 3, "codes": []})
    number = Document.objects.get(party__token="ada").pk
    named = f"?document={number}&page=2"
    opening = f"?open=1&document={number}&page=2"
    for query in ("", named, "?open=1", "?open=1&document=999"):
        markup = page(as_agent, submitted, query=query)
        assert markup.all("img") == [], query
        assert markup.one("a", id="look-open").attributes["data-key"] == "o"
        assert "Not opened yet" in markup.one("main").text, query
    as_agent.head(address(submitted) + opening)
    assert as_agent.get(address(submitted) + opening, headers={"Sec-Purpose": "prefetch"}).status_code == 404
    assert opened_documents(submitted).accounts == {}
    link = page(as_agent, submitted, query=named).one("a", id="look-open").attributes
    assert link["hx-get"] == address(submitted) + opening
    markup = page(as_agent, submitted, query=opening)
    assert markup.one("img").attributes["src"].endswith(f"/documents/{number}/pages/2/picture/")
    assert "Opened by Mira Okafor" in markup.one("main").text
    assert list(opened_documents(submitted).accounts) == [number]
    entries = Entry.objects.filter(action=AuditAction.LOOK)
    assert [json.loads(entry.detail) for entry in entries] == [{"way": "page", "page": 2}]
    # Who has opened it before sees it again, which records nothing; a colleague opens it first.
    assert len(page(as_agent, submitted, query=named).all("img")) == 1
    assert page(as_colleague, submitted, query=named).all("img") == []
    assert entries.count() == 1


@pytest.mark.parametrize(
    ("year", "warning"),
    [
        ("1890", "This person must be 119 or younger. 3\u00a0April\u00a01890 makes this person 13"),
        ("2019", "This person is under 18. 3\u00a0April\u00a02019 makes this person "),
    ],
)
def test_an_age_that_cannot_be_is_flagged(as_agent: Client, submitted: Draft, year: str, warning: str) -> None:
    raw = factories.ADA | {"person.date_of_birth": {"day": "3", "month": "4", "year": year}}
    update_each(submitted.application.parties.filter(token="ada"), raw=raw)
    assert warning in fact(page(as_agent, submitted), "Date of birth").text
    ingrid = fact(page(as_agent, submitted, "ingrid"), "Date of birth").text
    assert "must be" not in ingrid
    assert "under 18" not in ingrid
    case = case_page(as_agent, submitted)
    assert ("under 18" in case.one("li", id="party-ada").text) is (year == "2019")


FINDINGS = {
    "too_large": "It has 12,345 × 6,789 pixels, too many to show.",
    "misnamed": "Its name ends in “.pdf”, but it is image/png.",
    "few_pixels": "It has 12,345 × 6,789 pixels: small print may be unreadable.",
    "blank": "The first page looks nearly blank.",
    "many_pages": "It has 1,234 pages.",
    "location": "It contains the location where it was taken.",
}


def test_agents_read_all_that_was_found_in_a_document_or_download_it(submitted: Draft, as_agent: Client) -> None:
    findings = {"pages": 1_234, "width": 12_345, "height": 6_789, "codes": list(FINDINGS)}
    Document.objects.filter(party__token="ada").update(findings=findings, mime_type="image/png")
    markup = page(as_agent, submitted)
    passport = fact(markup, "passport.pdf")
    said = [one.text.strip() for one in markup.all("span", class_="status") if passport in one.ancestors]
    assert [words for words in said if words in FINDINGS.values()] == list(FINDINGS.values())
    Document.objects.filter(party__token="ada").update(findings={"codes": ["protected"]})
    markup = page(as_agent, submitted)
    assert "This file can’t be shown here." in markup.one("section", id="viewer").text
    assert markup.all("img") == []
    [link] = [one.attributes["href"] for one in markup.all("a") if one.text == "Download it"]
    assert link == f"{path(submitted)}documents/{Document.objects.get(party__token='ada').pk}/"


@pytest.fixture
def two_pages(submitted: Draft, owner: Any, agent: Any) -> int:
    return_it(submitted, agent)
    upload = factories.upload(sample_files.pdf(2), "both.pdf")
    document = services.add_document(submitted, submitted.party("ada"), "Passport", upload, by=owner)
    services.submit(submitted, by=owner)
    return document.pk


def post(client: Client, draft: Draft, document: int, **more: str) -> Any:
    back, sight = f"{address(draft)}?document={document}&page=2", str(current_version(draft.application))
    return client.post(f"{address(draft)}evidence/", {"place": str(NAME), "sight": sight, "back": back} | more)


def test_the_page_in_the_viewer_is_noted_and_removed(submitted: Draft, two_pages: int, as_agent: Client) -> None:
    answer = post(as_agent, submitted, two_pages, says="ADA AUGUSTA")
    assert answer["Location"].startswith(f"{address(submitted)}?document={two_pages}&page=2#at:")
    markup = page(as_agent, submitted)
    assert "Passport, page 2: ADA AUGUSTA noted by" in words(fact(markup, "First name"))
    [link] = [one.attributes for one in markup.all("a") if one.text == "Passport, page 2"]
    page_url = f"{address(submitted)}?open=1&document={two_pages}&page=2"
    assert (link["href"], link["hx-get"]) == (f"{page_url}#viewer", page_url)
    button = page(as_agent, submitted).one("button", name="remove").attributes
    assert (button["value"], button["form"]) == (str(NAME), "evidence-removal")
    post(as_agent, submitted, two_pages, remove=str(NAME), place="")
    assert "Passport, page" not in words(fact(page(as_agent, submitted), "First name"))
    assert Evidence.objects.get().removed_at


def test_what_cannot_be_saved_is_kept_to_be_copied(submitted: Draft, as_agent: Client, owner: Any) -> None:
    answer = post(as_agent, submitted, 0, says="ADA AUGUSTA")
    assert answer.status_code == 422
    assert "This document was removed or replaced." in answer.content.decode()
    assert "ADA AUGUSTA" in answer.content.decode()
    theirs = submitted.documents_of(submitted.party("ingrid"))["Passport"].pk
    assert post(as_agent, submitted, 0, back=f"{address(submitted)}?document={theirs}").status_code == 422
    services.withdraw(submitted, by=owner)
    answer = post(as_agent, submitted, 0, says="ADA AUGUSTA")
    assert (answer.status_code, "ADA AUGUSTA" in answer.content.decode()) == (409, True)
    assert "evidence" not in [one.attributes.get("id") for one in page(as_agent, submitted).all("form")]


def test_a_replaced_page_says_so(submitted: Draft, two_pages: int, as_agent: Client, agent: Any, owner: Any) -> None:
    post(as_agent, submitted, two_pages, says="ADA")
    accept_at(submitted, NAME, by=agent)
    assert fact(page(as_agent, submitted), "First name").inside("details")
    return_it(submitted, agent)
    replace_passport(submitted, owner, sample_files.pdf(3))
    services.submit(factories.again(submitted), by=owner)
    markup = page(as_agent, submitted)
    row = fact(markup, "First name")
    assert "Passport was replaced after page 2 was noted: ADA" in words(row)
    assert markup.all("a", data_shows="page") == []
    assert not row.inside("details")


def document(number: int, *, pages: int = 1, **found: int) -> Document:
    application = Application(reference="FP-0000-0000-0000")
    findings = {"pages": pages, "width": 0, "height": 0, "codes": []} | found
    return Document(pk=number, application=application, slot=f"Paper {number}", findings=findings)


def shown(look: ViewerState, *documents: Document) -> Viewer:
    return Viewer(documents, look, url="/here/")


def test_an_address_says_where_one_looks_and_nothing_more() -> None:
    look = ViewerState(document=7, page=2, zoom=150, turn=90)
    assert ViewerState.read(QueryDict(look.query().removeprefix("?"))) == look
    assert ViewerState().query() == ""
    assert ViewerState(document=7).query() == "?document=7"


@pytest.mark.parametrize(
    "query", ["document=x&page=-1", "page=0&zoom=120&turn=45", "page=²&zoom=", f"document={'9' * 40}"]
)
def test_what_cannot_be_read_is_as_if_it_were_not_there(query: str) -> None:
    assert ViewerState.read(QueryDict(query)) == ViewerState()


def test_a_page_turns_all_the_way_round_within_its_frame_and_zooms_within_its_limits() -> None:
    look = ViewerState()
    assert look.zoomed(-1) is None
    sizes = [look.zoom]
    while larger := look.zoomed(1):
        look = larger
        sizes.append(look.zoom)
    assert sizes == [100, 150, 200, 300]
    assert ViewerState(turn=270).rotated == ViewerState(turn=0)
    wide = document(1, width=400, height=300)
    upright, quarter, half = (shown(ViewerState(1, turn=turn), wide) for turn in (0, 90, 180))
    assert (upright.turning, upright.turned_size) == ("", (400, 300))
    assert (quarter.turning, quarter.turned_size) == ("translate(300 0) rotate(90)", (300, 400))
    assert (half.turning, half.turned_size) == ("translate(400 300) rotate(180)", (400, 300))


def test_only_a_page_and_a_document_that_there_are_are_shown_and_drawn_as_large_as_they_are_shown() -> None:
    found = shown(ViewerState(1, page=99), document(1, pages=3))
    assert (found.state.page, found.urls.get("after")) == (3, None)
    assert found.urls["before"] == "/here/?open=1&document=1&page=2"
    found = shown(ViewerState(99, page=5, zoom=300), document(1), document(2))
    assert (found.document.pk, found.state) == (1, ViewerState(1))
    assert not shown(ViewerState(1), document(1)).picture_url.endswith("?size=close")
    assert shown(ViewerState(1, zoom=150), document(1)).picture_url.endswith("?size=close")
