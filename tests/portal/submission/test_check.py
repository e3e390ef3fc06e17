"""The check page: what is needed first, then active answers only, each with the way to change it."""

from typing import Any
from urllib.parse import unquote, urlencode

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import inactive_in
from tests import factories
from tests.journeys.page import Page
from tests.markup import Element, Markup
from tests.portal.pages import page_at, root, section_url

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def path(draft: Draft) -> str:
    return f"{root(draft)}check/"


def answers(markup: Markup) -> dict[str, str]:
    terms = [one.text.strip() for one in markup.all("dt")]
    values = [one.text.strip() for one in markup.all("dd") if one.attributes.get("class") != "change"]
    return dict(zip(terms, values, strict=True))


def test_every_need_leads_to_its_control(draft: Draft, owner: Any, as_owner: Client) -> None:
    services.add_party(draft, "person", ["director", "shareholder"], {"person.first_name": "Ada"}, by=owner)
    services.add_share_class(draft, {"share_class.name": "Ordinary"}, by=owner)
    markup = page_at(as_owner, path(draft))
    links = {one.text: one.attributes["href"] for one in markup.all("a") if one.inside("li") and one.inside("main")}
    ids = {one.attributes.get("id") for one in markup.elements}
    down = {text: links.pop(text).removeprefix("#") for text in list(links) if links[text].startswith("#")}
    assert {"The company", "Ada", "Ordinary"} <= down.keys()
    assert set(down.values()) <= ids
    needed = {need.text: need for need in draft.needs}
    assert needed.keys() == links.keys()
    for text, link in links.items():
        page, _, anchor = link.partition("#")
        assert "next=check" in page
        response = as_owner.get(page)
        assert response.status_code == 200, link
        if needed[text].field or needed[text].slot:
            ids = {one.attributes.get("id") for one in Markup(response.content.decode()).elements}
            assert anchor in ids, f"{text}: {link}"


def test_answers_are_read_back_in_words(complete: Draft, as_owner: Client) -> None:
    markup = page_at(as_owner, path(complete))
    shown = answers(markup)
    assert shown["Capital"] == "USD\u00a050,000.00"
    assert shown["Date of birth"].replace("\u00a0", " ") == "10 December 1985"
    assert shown["Is pep"] == "No"
    assert "Provided by your registered agent" in shown["Office"]
    assert shown["Passport"] == "passport.pdf Saved"
    assert "Purpose" not in shown
    left_out = [one.text for one in markup.all("p") if one.text.strip().startswith("Not provided:")]
    assert any("Purpose" in text for text in left_out)


def entry(markup: Markup, name: str) -> Element | None:
    """The entry of that heading, with everything in it."""
    return next((one for one in markup.all("section") if one.attributes.get("aria-labelledby") == name), None)


def test_an_answer_that_is_not_asked_any_more_is_inactive_until_it_is_left_out_of_what_is_sent(
    complete: Draft, owner: Any, as_owner: Client
) -> None:
    trading = {"xy.activity": "Trading", "xy.goods": "Cold fish"}
    factories.save_section(complete, "the-company", trading, by=owner)
    markup = page_at(as_owner, path(complete))
    assert entry(markup, "aside") is None
    assert answers(markup)["Goods"] == "Cold fish"
    factories.save_section(complete, "the-company", {"xy.activity": "Holding company"}, by=owner)
    markup = page_at(as_owner, path(complete))
    company, inactive = entry(markup, "section-the-company"), entry(markup, "aside")
    assert company is not None
    assert inactive is not None
    assert "Cold fish" not in company.text
    assert "1 answer" in inactive.text
    assert "Not sent to the formation service. We restore it if you change “Activity” back." in inactive.text
    assert answers(markup)["Goods"] == "Cold fish Only asked if you answer Trading to “Activity”."
    services.submit(complete, by=owner, declaration="I declare it.")
    assert "Cold fish" not in as_owner.get(path(complete)).content.decode()


def test_shares_and_documents_of_sections_that_are_not_asked_are_inactive(owner: Any, as_owner: Client) -> None:
    rule = {"depends_on": {"field": "activity", "value": "Trading"}}
    company, funds, directors, shareholders, _, shares = factories.SCHEMA["sections"]
    slots = {"documents": {"person": [{"name": "Agreement"}]}}
    sections = [company, funds, directors, shareholders | rule | slots, shares | rule]
    draft = factories.new_draft(owner, schema=factories.SCHEMA | {"sections": sections})
    factories.save_section(draft, "the-company", factories.COMPANY | {"xy.activity": "Trading"}, by=owner)
    ada = services.add_party(draft, "person", ["director", "shareholder"], factories.ADA, by=owner)
    services.add_share_class(draft, factories.ORDINARY, by=owner)
    services.add_document(draft, ada, "Passport", factories.upload(), by=owner)
    services.add_document(draft, ada, "Agreement", factories.upload(name="agreement.pdf"), by=owner)
    assert not inactive_in(draft).rows
    factories.save_section(draft, "the-company", {"xy.activity": "Holding company"}, by=owner)
    markup = page_at(as_owner, path(draft))
    assert answers(markup)["Agreement, Ada Lovelace"].startswith("agreement.pdf Only asked if")
    assert answers(markup)["Ordinary"].startswith("Share class Only asked if")
    services.set_roles(draft, ada, ["shareholder"], by=owner)
    assert [row.label for row in inactive_in(draft).rows if row.kind == "person"] == ["Ada Lovelace"]
    assert "1 person, 1 share class" in as_owner.get(path(draft)).content.decode()


def test_a_change_comes_back_to_the_row_that_it_came_from(complete: Draft, as_owner: Client) -> None:
    markup = page_at(as_owner, path(complete))
    rows = {one.attributes.get("id", "") for one in markup.all("div") if one.inside("dl")}
    links = [one.attributes["href"] for one in markup.all("a") if one.text.startswith("Change") and one.inside("dl")]
    assert len(rows) == len(markup.all("dt"))
    for address in {link.partition("#")[0] for link in links if "/documents/" not in link}:
        form = Page(as_owner.get(address).content.decode(), address).form(button="Save and continue")
        posted = dict(form.fixed) | {control.name: control.filled for control in form.controls}
        back, _, row = as_owner.post(address, posted)["Location"].partition("#")
        assert back == f"{path(complete)}?row={row}"
        assert unquote(row) in rows, address
        shown = Markup(as_owner.get(back).content.decode())
        around = next(one for one in shown.all("div") if one.attributes.get("id") == unquote(row)).ancestors
        assert all("open" in one.attributes for one in around if one.tag == "details"), address
    # A row that is none leads to nothing but the page.
    address = section_url(complete, "funds")
    for row in ("//evil.example/", "a\r\nSet-Cookie: b", "x" * 5000):
        response = as_owner.post(f"{address}?{urlencode({'next': 'check', 'row': row})}", {"version": "1"})
        assert response["Location"].startswith(f"{path(complete)}?row=")
        assert len(response["Location"]) < 6000


def test_markup_in_an_answer_stays_text(draft: Draft, owner: Any, as_owner: Client) -> None:
    factories.save_section(draft, "the-company", {"entity.name": "<script>alert(1)</script>"}, by=owner)
    for page in (path(draft), root(draft), "/applications/"):
        assert "<script>alert" not in as_owner.get(page).content.decode()


def test_of_51_people_the_last_is_on_the_second_page_and_the_sum_of_shares_counts_all(
    owner: Any, as_owner: Client, own_folders: None
) -> None:
    draft = factories.crowded_draft(owner)

    def names(page: Markup) -> list[str]:
        return [one.text.removesuffix(" Shareholder. 4 answers") for one in page.all("h3") if "Zoë" in one.text]

    page = page_at(as_owner, path(draft))
    assert names(page) == [f"Zoë {number} Lovelace" for number in range(1, 51)]
    assert names(Markup(as_owner.get(f"{path(draft)}?page=2").content.decode())) == ["Zoë 51 Lovelace"]
    rows = [
        [cell.text for cell in page.elements if cell.tag in ("th", "td") and row in cell.ancestors]
        for row in page.all("tr")
    ]
    assert [row for row in rows if "Zoë" in row[0]] == [[f"Zoë {count} Lovelace", str(count)] for count in range(1, 52)]
    assert page.one("summary", id="other-shareholders").text == "Show 1 more"
    # 1 + 2 + … + 51.
    assert ["Allocated", "1,326"] in rows
