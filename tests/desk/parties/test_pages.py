"""A party under review: what is to be checked, what was made of it, what changed, and where the review goes on."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document, Party
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept, opened_documents
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.decision_setup import documents_of
from tests.documents import sample_files
from tests.encrypted_rows import update_each
from tests.markup import Element, Markup
from tests.reviews.deciding import decide

pytestmark = pytest.mark.django_db

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
    return f"/desk/{draft.application.reference}/parties/{token}/"


def page(client: Client, draft: Draft, token: str = "ada", query: str = "") -> Markup:
    answer = client.get(address(draft, token) + query)
    assert answer.status_code == 200
    markup = Markup(answer.content.decode())
    assert markup.faults == []
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
    """The button that accepts all, as the page has it."""
    markup = page(client, draft, token)
    hidden = [
        one
        for one in markup.all("input", type="hidden")
        if any(form.attributes.get("id") == "checks" for form in one.ancestors)
    ]
    posts: dict[str, Any] = {one.attributes["name"]: one.attributes["value"] for one in hidden}
    posts["left"] = [one.attributes["value"] for one in hidden if one.attributes["name"] == "left"]
    [button] = markup.all("button", name="all")
    posts["all"] = button.attributes["value"]
    posts["unseen"] = documents_of(draft)
    assert client.post(markup.one("form", id="checks").attributes["action"], posts).status_code == 302


def accepted(draft: Draft, *targets: Target, by: Any) -> None:
    accept(draft, targets, by=by, version=current_version(draft.application))


def test_every_answer_and_document_is_a_box_to_tick(submitted: Draft, as_agent: Client) -> None:
    markup = page(as_agent, submitted)
    assert boxes(markup) == [str(one.target) for one in load_checklist(submitted).holders[1].facts]
    assert "10 December 1985" in words(fact(markup, "Date of birth")).replace("\xa0", " ")
    keys = [one.attributes["data-key"] for one in markup.all("input", type="checkbox", name="place")]
    assert keys == list("1234567")


def test_the_parties_stand_beside_with_how_far_each_has_come(submitted: Draft, as_agent: Client, agent: Any) -> None:
    accepted(submitted, BIRTH, PASSPORT, by=agent)
    markup = page(as_agent, submitted)
    links = [
        one
        for one in markup.all("a")
        if any(nav.attributes.get("aria-label", "").startswith("People") for nav in one.ancestors)
    ]
    assert [words(one) for one in links] == ["Ada Lovelace 2/7", "Ingrid Solheim 0/7"]
    assert ["aria-current" in one.attributes for one in links] == [True, False]


def test_of_many_parties_those_beside_are_named_and_the_review_still_goes_all_the_way_round(
    submitted: Draft, as_agent: Client
) -> None:
    Party.objects.bulk_create(
        Party(
            application=submitted.application,
            token=f"more{number}",
            position=number + 10,
            kind="person",
            roles=["director"],
            raw=INGRID,
        )
        for number in range(60)
    )
    for token, first, last, following in (
        ("ada", "ada", "more18", "ingrid"),
        ("more30", "more20", "more40", "more31"),
        ("more59", "more39", "more59", "ada"),
    ):
        markup = page(as_agent, submitted, token)
        navigation = markup.one("nav", aria_label="People and companies in this case")
        links = [one.attributes["href"] for one in markup.all("a") if navigation in one.ancestors]
        assert links[0] == address(submitted, first)
        assert links[20:] == [address(submitted, last), f"/desk/{submitted.application.reference}/#people"]
        assert "All 62 people and companies" in navigation.text
        assert markup.all("a", data_key="n")[0].attributes["href"] == address(submitted, following)


def test_what_is_accepted_is_locked_with_who_and_when_and_can_be_taken_back(
    submitted: Draft, as_agent: Client, colleague: Any
) -> None:
    accepted(submitted, BIRTH, by=colleague)
    markup = page(as_agent, submitted)
    assert str(BIRTH) not in boxes(markup)
    assert "Accepted" in fact(markup, "Date of birth").text
    assert "Accepted by Dev Ramanathan, " in fact(markup, "Date of birth").text
    assert str(BIRTH) not in [one.attributes["value"] for one in markup.all("input", name="left")]
    [button] = markup.all("button", form="reopenings")
    posts = {"place": button.attributes["value"], "sight": str(current_version(submitted.application))}
    as_agent.post(markup.one("form", id="reopenings").attributes["action"], posts)
    assert str(BIRTH) in boxes(page(as_agent, submitted))


def test_the_next_one_is_whoever_has_something_to_check_all_the_way_round(submitted: Draft, as_agent: Client) -> None:
    first, second = (words(page(as_agent, submitted, token).all("a", data_key="n")[0]) for token in ("ada", "ingrid"))
    assert (first, second) == ("Next: Ingrid Solheim", "Next: Ada Lovelace")


def test_the_queue_that_it_was_opened_from_comes_along(submitted: Draft, as_agent: Client) -> None:
    case = f"/desk/{submitted.application.reference}/?from=%3Fview%3Dmine"
    links = [one.attributes["href"] for one in Markup(as_agent.get(case).content.decode()).all("a")]
    opened = {one.removeprefix(address(submitted)).partition("#")[0] for one in links if "/parties/ada/" in one}
    assert opened == {"?from=%3Fview%3Dmine"}
    markup = page(as_agent, submitted, query=opened.pop())
    ours = [one.attributes["href"] for one in markup.all("a") if "/parties/" in one.attributes["href"]]
    assert [one for one in ours if "from=%3Fview%3Dmine" not in one] == []
    assert case in [one.attributes["href"] for one in markup.all("a")]
    assert {"from=%3Fview%3Dmine" in one.attributes["value"] for one in markup.all("input", name="back")} == {True}


def test_who_may_not_review_only_reads(submitted: Draft, as_agent: Client, agent: Any) -> None:
    agent.set_rights(["all_cases"])
    markup = page(as_agent, submitted)
    assert boxes(markup) == []
    assert [one.text for one in markup.all("button") if one.attributes.get("form") in ("checks", "reopenings")] == []
    assert "You need the right “review” to accept facts and raise queries." in markup.one("main").text


def test_one_button_accepts_the_rest_and_then_the_next_party_is_offered(submitted: Draft, as_agent: Client) -> None:
    press_all(as_agent, submitted, "ada")
    markup = page(as_agent, submitted)
    assert boxes(markup) == []
    [onwards, *_] = markup.all("a", data_key="n")
    assert (words(onwards), onwards.attributes["href"]) == ("Next: Ingrid Solheim", address(submitted, "ingrid"))
    press_all(as_agent, submitted, "ingrid")
    [onwards, *_] = page(as_agent, submitted, "ingrid").all("a", data_key="n")
    assert words(onwards) == "Next: Larkfield Holdings: company answers"


def test_after_the_last_check_comes_the_decision(submitted: Draft, as_agent: Client, agent: Any) -> None:
    accepted(submitted, *(one.target for one in load_checklist(submitted)), by=agent)
    [onwards, *_] = page(as_agent, submitted).all("a", data_key="n")
    assert onwards.attributes["href"] == f"/desk/{submitted.application.reference}/#decide"


def test_what_is_asked_about_is_not_accepted_with_the_rest(submitted: Draft, as_agent: Client, agent: Any) -> None:
    draft_query(
        submitted, BIRTH, text="The passport says 1984", by=agent, version=current_version(submitted.application)
    )
    markup = page(as_agent, submitted)
    assert "The passport says 1984" in fact(markup, "Date of birth").text
    assert str(BIRTH) not in boxes(markup)
    assert str(BIRTH) not in [one.attributes["value"] for one in markup.all("input", name="left")]
    press_all(as_agent, submitted, "ada")
    assert "Next: Ingrid Solheim" in words(page(as_agent, submitted).all("a", data_key="n")[0])


def test_the_second_round_shows_old_beside_new_and_nothing_that_stayed(
    submitted: Draft, as_agent: Client, agent: Any, owner: Any
) -> None:
    accepted(submitted, NAME, BIRTH, PASSPORT, ROLES, by=agent)
    last_name = Target.of_field("ada", "person.last_name")
    for target, text in ((last_name, "The passport has another"), (WHOLE_APPLICATION, "Look at all of it again")):
        draft_query(submitted, target, text=text, by=agent, version=current_version(submitted.application))
    decide(submitted, RETURN, by=agent, version=current_version(submitted.application))
    for first, last in (("Augusta", "Byron"), ("Augusta Ada", "King")):
        ada = submitted.party("ada")
        assert ada is not None
        raw = {**ada.raw, "person.first_name": first, "person.last_name": last}
        services.save_party(
            submitted, ada, raw, version=ada.version, by=owner, roles=["shareholder", "director", "manager"]
        )
    services.add_document(
        submitted, submitted.party("ada"), "Passport", factories.upload(factories.PDF + b"2", "new.pdf"), by=owner
    )
    services.submit(submitted, by=owner)
    markup = page(as_agent, submitted)
    assert "Was Ada Now Augusta Ada" in words(fact(markup, "First name"))
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


def test_what_stood_there_is_what_was_accepted_last_and_not_what_was_there_first(
    submitted: Draft, as_agent: Client, agent: Any, owner: Any
) -> None:
    last_name = Target.of_field("ada", "person.last_name")
    accepted(submitted, NAME, last_name, by=agent)
    for first, last in (("Augusta", "Lovelace"), ("Augusta Ada", "King")):
        decide(submitted, RETURN, text="Look", by=agent, version=current_version(submitted.application))
        ada = submitted.party("ada")
        assert ada is not None
        raw = {**ada.raw, "person.first_name": first, "person.last_name": last}
        services.save_party(submitted, ada, raw, version=ada.version, by=owner)
        services.submit(submitted, by=owner)
        if last == "Lovelace":
            accepted(submitted, NAME, by=agent)
    markup = page(as_agent, submitted)
    assert "Was Augusta Now Augusta Ada" in words(fact(markup, "First name"))
    assert "Was Lovelace Now King" in words(fact(markup, "Last name"))


def test_the_roles_stand_beside_what_the_form_asks_of_them(submitted: Draft, as_agent: Client, owner: Any) -> None:
    text = words(fact(page(as_agent, submitted), "At least 1"))
    assert "Directors At least 1 required, 2 added. Passport, uploaded Letter, optional" in text
    assert "Shareholders At least 1 required, 1 added. Passport, optional, uploaded" in text


def test_why_a_question_was_asked_stands_at_its_answer(draft: Draft, as_agent: Client, owner: Any) -> None:
    factories.fill_in(draft, owner)
    ada = draft.party("ada")
    assert ada is not None
    raw = {**ada.raw, "xy.person.is_pep": "true", "xy.person.pep_office": "Minister"}
    services.save_party(draft, ada, raw, version=ada.version, by=owner)
    services.submit(draft, by=owner)
    assert "Asked because they answered Yes to “Is pep”" in fact(page(as_agent, draft), "Pep office").text


def test_shares_and_age_are_told(submitted: Draft, as_agent: Client) -> None:
    markup = page(as_agent, submitted)
    held = [words(one) for one in markup.all("div") if one.ancestors[-1].attributes.get("class") == "held"]
    assert held == ["Ordinary10,000 shares, 100% of the class", "Of all shares100%", "Of all votes100%"]
    assert "years old" in fact(markup, "Date of birth").text
    assert page(as_agent, submitted, "ingrid").all("dl", class_="held") == []


def test_a_file_that_cannot_be_shown_is_offered_as_a_download(submitted: Draft, as_agent: Client) -> None:
    Document.objects.filter(party__token="ada").update(findings={"codes": ["protected"]})
    markup = page(as_agent, submitted)
    assert "This file can’t be shown here." in markup.one("section", id="viewer").text
    assert markup.all("img") == []
    [link] = [one for one in markup.all("a") if one.text == "Download it"]
    answer = as_agent.get(link.attributes["href"])
    assert answer["Content-Disposition"] == f'attachment; filename="{submitted.application.reference}-passport.pdf"'
    assert b"".join(answer) == factories.PDF  # type: ignore[arg-type]  # a stream of bytes


def test_the_viewer_shows_the_page_that_the_address_names(submitted: Draft, as_agent: Client) -> None:
    Document.objects.filter(party__token="ada").update(findings={"pages": 3, "codes": []})
    number = Document.objects.get(party__token="ada").pk
    markup = page(as_agent, submitted, query=f"?open=1&document={number}&page=2&zoom=150")
    picture = f"/desk/{submitted.application.reference}/documents/{number}/pages/2/picture/?size=close"
    assert markup.one("img").attributes["src"] == picture
    assert [one.attributes["data-key"] for one in markup.all("a") if one.attributes.get("data-key") in ("[", "]")] == [
        "[",
        "]",
    ]
    pages = [one for one in markup.all("a") if one.attributes.get("id", "").startswith("look-page-")]
    assert ["aria-current" in one.attributes for one in pages] == [False, True, False]
    back = f"{address(submitted)}?document={number}&page=2&zoom=150"
    assert {one.attributes["value"].partition("#")[0] for one in markup.all("input", name="back")} == {back}
    turned = page(as_agent, submitted, query=f"?document={number}&turn=90")
    assert turned.one("image").attributes["transform"] == "translate(1754 0) rotate(90)"
    assert [one for one in turned.elements if "style" in one.attributes] == []


def test_where_the_viewer_asks_by_itself_it_gets_itself(submitted: Draft, as_agent: Client) -> None:
    answer = as_agent.get(address(submitted), headers={"HX-Request": "true", "HX-Target": "viewer"})
    markup = Markup(answer.content.decode())
    ids = [one.attributes.get("id", "") for one in markup.elements if not one.ancestors]
    assert ids[:2] == ["viewer", "announcer"]
    assert ids[2].startswith("seen-"), "and who has opened the document by now"
    assert "Passport, page 1 of 1, 100 percent." in markup.one("p", id="announcer").text


def test_a_case_that_is_not_under_review_is_read_only(submitted: Draft, as_agent: Client, owner: Any) -> None:
    services.withdraw(submitted, by=owner)
    markup = page(as_agent, submitted)
    assert boxes(markup) == []
    assert markup.all("button", name="all") == []
    assert "This case is “Withdrawn”" in markup.one("main").text


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
    accepted(submitted, NAME, BIRTH, by=agent)
    decide(submitted, RETURN, text="Look", by=agent, version=current_version(submitted.application))
    for number in range(12):
        services.add_party(submitted, "person", ["director"], INGRID, by=owner, token=f"more{number}")
        services.add_document(submitted, submitted.party(f"more{number}"), "Passport", factories.upload(), by=owner)
    ada = submitted.party("ada")
    assert ada is not None
    services.save_party(submitted, ada, {**ada.raw, "person.first_name": "Augusta"}, version=ada.version, by=owner)
    services.submit(submitted, by=owner)
    assert factories.again(submitted).party("more11") is not None
    with django_assert_max_num_queries(21):
        as_agent.get(address(submitted))


def test_a_close_picture_is_larger_and_each_look_is_kept(draft: Draft, as_agent: Client, owner: Any) -> None:
    factories.fill_in(draft, owner)
    scan = factories.upload(sample_files.jpeg(3000, 2000), "scan.jpg")
    number = services.add_document(draft, draft.party("ada"), "Passport", scan, by=owner).pk
    services.submit(draft, by=owner)
    Entry.objects.all().delete()
    picture = f"/desk/{draft.application.reference}/documents/{number}/pages/1/picture/"
    widths = [Image.open(BytesIO(as_agent.get(picture + size).content)).width for size in ("", "?size=close")]
    assert widths == [1400, 2400]
    assert not Entry.objects.exists()


def test_a_document_is_opened_by_a_link_and_by_nothing_else(
    submitted: Draft, colleague: Any, as_agent: Client, as_colleague: Client
) -> None:
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


def test_only_an_opened_document_follows_the_fact_in_hand(submitted: Draft, as_agent: Client) -> None:
    number = Document.objects.get(party__token="ada").pk

    def following() -> list[str]:
        markup = page(as_agent, submitted)
        return [one.attributes["data-shows"] for one in markup.all("a") if "data-shows" in one.attributes]

    assert following() == []
    page(as_agent, submitted, query=f"?open=1&document={number}")
    assert following() == ["document"]


def test_facts_fold_once_they_are_accepted_and_nothing_is_said_about_them(
    submitted: Draft, as_agent: Client, agent: Any
) -> None:
    def in_fold(markup: Markup, label: str) -> bool:
        return any(one.tag == "details" for one in fact(markup, label).ancestors)

    untouched = page(as_agent, submitted)
    assert not in_fold(untouched, "First name")
    assert not in_fold(untouched, "Date of birth")
    accepted(submitted, NAME, BIRTH, by=agent)
    draft_query(submitted, BIRTH, text="Which year?", by=agent, version=current_version(submitted.application))
    later = page(as_agent, submitted)
    assert in_fold(later, "First name")
    assert not in_fold(later, "Date of birth"), "something is asked about it"
    assert not in_fold(later, "Last name")


def test_an_answer_that_cannot_be_true_says_so(as_agent: Client, submitted: Draft) -> None:
    raw = factories.ADA | {"person.date_of_birth": {"day": "3", "month": "4", "year": "1890"}}
    update_each(submitted.application.parties.filter(token="ada"), raw=raw)
    words = fact(page(as_agent, submitted), "Date of birth").text
    assert "This person must be 119 or younger. 3\u00a0April\u00a01890 makes this person 13" in words
    other = fact(page(as_agent, submitted, "ingrid"), "Date of birth").text
    assert "must be" not in other


def test_a_minor_is_flagged_on_the_case_and_at_the_answer(as_agent: Client, submitted: Draft) -> None:
    raw = factories.ADA | {"person.date_of_birth": {"day": "3", "month": "4", "year": "2019"}}
    update_each(submitted.application.parties.filter(token="ada"), raw=raw)
    flag = "This person is under 18. 3\u00a0April\u00a02019 makes this person "
    assert flag in fact(page(as_agent, submitted), "Date of birth").text
    case = Markup(as_agent.get(f"/desk/{submitted.application.reference}/").content.decode())
    assert flag in case.one("li", id="party-ada").text
    assert "under 18" not in case.one("li", id="party-ingrid").text


FINDINGS = {
    "unreadable": "It cannot be opened. It may be damaged or incomplete.",
    "protected": "It is protected by a password.",
    "no_pages": "It has no pages.",
    "too_large": "It has 12,345 × 6,789 pixels, too many to show.",
    "too_heavy": "It took too long to open.",
    "misnamed": "Its name ends in “.pdf”, but it is image/png.",
    "few_pixels": "It has 12,345 × 6,789 pixels: small print may be unreadable.",
    "blurred": "It looks blurred.",
    "blank": "The first page looks nearly blank.",
    "many_pages": "It has 1,234 pages.",
    "location": "It contains the location where it was taken.",
}


def test_agents_read_everything_that_was_found_in_a_document(submitted: Draft, as_agent: Client) -> None:
    findings = {"pages": 1_234, "width": 12_345, "height": 6_789, "codes": list(FINDINGS)}
    Document.objects.filter(party__token="ada").update(findings=findings, mime_type="image/png")
    markup = page(as_agent, submitted)
    passport = fact(markup, "passport.pdf")
    said = [one.text.strip() for one in markup.all("span", class_="status") if passport in one.ancestors]
    assert [words for words in said if words in FINDINGS.values()] == list(FINDINGS.values())
