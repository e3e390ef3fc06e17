"""Each value of an application stands at the desk where it belongs, and the old beside the new. No two are the same."""

from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.desk.review_rounds import again
from tests.markup import Markup

FACTS = {
    "zoe": {
        "E-mail address": "zoe@example.org",
        "First name": "Zoë",
        "Last name": "D'Arcy",
        "Date of birth": "28 February 1988",
        "Is pep": "Yes",
        "Pep office": "Minister of Fisheries",
        "Passport": "zoe.jpg",
    },
    "orsted": {
        "Name": "Ørsted Holding ApS",
        "Registration number": "DK 36 45 17",
        "Country": "Denmark",
        "Register extract": "orsted.png",
    },
}
# Siobhán holds 1,111 of 1,144 Voting and all of Préférence, which has no votes; Zoë the rest, and 4,444 with votes.
HOLDINGS = {
    "zoe": {
        "Voting": "33 shares, 2.88% of the class",
        "Founders’": "4,444 shares, 100% of the class",
        "Of all shares": "77.06%",
        "Of all votes": "80.12%",
    },
    "orsted": {},
}


@pytest.fixture
def submitted(owner: Any) -> Draft:
    draft = factories.varied_draft(owner)
    services.submit(draft, by=owner)
    return draft


def page(client: Client, draft: Draft, rest: str = "") -> Markup:
    return Markup(client.get(f"/desk/{draft.application.reference}/{rest}").content.decode())


def pairs(markup: Markup) -> list[tuple[str, str]]:
    """Return the terms of a page, each with the first value after it, without the link that asks about it."""
    found = [element for element in markup.elements if element.tag in ("dt", "dd")]
    return [
        (term.text, value.text.partition(" Ask about ")[0].replace("\xa0", " "))
        for term, value in pairwise(found)
        if term.tag == "dt"
    ]


@pytest.mark.parametrize("token", FACTS)
def test_of_a_party(token: str, submitted: Draft, as_agent: Client) -> None:
    markup = page(as_agent, submitted, f"parties/{token}/")
    rows = [row.text.replace("\xa0", " ") for row in markup.all("li") if "fact" in row.attributes.get("class", "")]
    assert len(rows) == 1 + len(FACTS[token]), "the roles and these"
    for label, value in FACTS[token].items():
        [row] = [row for row in rows if row.startswith(label)]
        assert value in row.removeprefix(label)
    assert dict(pairs(markup)) == HOLDINGS[token]


def test_of_the_company_and_its_shares(submitted: Draft, as_agent: Client) -> None:
    markup = page(as_agent, submitted)
    answers = pairs(markup)
    for answer in (
        ("Name", "Société d’Été & Fils"),
        ("Goods", "Tea and 'green' coffee"),
        ("Started on", "4 March 2019"),
        ("Purpose", "To charter boats"),
        ("Capital", "JPY 1,234,567"),
        ("Turnover", "KWD 89.125"),
    ):
        assert answers.count(answer) == 1, answer
    properties = ("Currency", "Par value", "Do these shares have voting rights?", "Do these shares pay dividends?")
    assert [answer for answer in answers if answer[0] in properties] == [
        *zip(properties, ("US Dollar (USD)", "0.125", "Yes", "No"), strict=True),
        *zip(properties, ("Japanese Yen (JPY)", "500", "No", "Yes"), strict=True),
        *zip(properties, ("Kuwaiti Dinar (KWD)", "0.025", "Yes", "Yes"), strict=True),
    ]
    rows = [
        [cell.text for cell in markup.elements if cell.tag in ("th", "td") and row in cell.ancestors]
        for row in markup.all("tr")
    ]
    assert rows[:4] == [
        ["Shareholder", "Voting", "Préférence", "Founders’"],
        ["Siobhán O’Brien", "1,111", "222", "0"],
        ["Zoë D'Arcy", "33", "0", "4,444"],
        ["Allocated", "1,144", "222", "4,444"],
    ]


def test_of_what_changed(reviewed: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    again(reviewed, agent, owner, lambda draft: change(draft, owner))
    markup = page(as_agent, reviewed)
    old, new = ([part.text.replace("\xa0", " ") for part in markup.all(tag)] for tag in ("del", "ins"))
    assert list(zip(old, new, strict=True)) == [
        ("JPY 1,234,567", "JPY 1,234,568"),
        ("KWD 89.125", "KWD 89.126"),
        ("1,111", "1,112"),
        ("222", "223"),
        ("4,444", "4,445"),
    ]


def change(draft: Draft, owner: Any) -> None:
    """Change the last digit of an amount in each currency, and of one person's holding in each class."""
    funds = draft.schema.section("funds")
    assert funds is not None
    amounts = {
        "xy.capital": {"amount": "1,234,568", "currency": "JPY"},
        "xy.turnover": {"amount": "89.126", "currency": "KWD"},
    }
    services.save_section(draft, funds, amounts, version=draft.version("funds"), by=owner)
    holdings = {("siobhan", "voting"): "1,112", ("siobhan", "preference"): "223", ("zoe", "founders"): "4,445"}
    services.save_holdings(draft, holdings, by=owner)
