"""Every page in every language: it is drawn, says nothing in English that is ours, and marks what is the schema's."""

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from babel import Locale
from django.test import Client
from django.urls import reverse

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from tests import factories
from tests.markup import Markup
from tests.portal.pages import root, section_url
from tests.pseudo_language import CODE, Unmarked, pseudo_language

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# What is neither ours nor the schema's: names and texts that were typed, units, formats, our own name.
TYPED = ("Larkfield Holdings", "Ada Lovelace", "Ada", "Lovelace", "AL", "WN", "Ordinary", "passport.pdf")
ADDRESSES = ("ada@example.com", "owner@example.com")
OURS = ("Ingrid Solheim", "IS", "Formation Portal", "Pseudo", "kB", "MB", "USD", "EUR", "PDF", "JSON", "SHA")


def texts_of(document: Any) -> Iterator[str]:
    """Every text of a catalog item, whatever it is for."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        for one in document:
            yield from texts_of(one)
    elif isinstance(document, str):
        yield document


def addresses(draft: Draft) -> list[str]:
    """The pages of an application."""
    party, share_class = draft.parties[0].token, draft.share_classes[0].token
    pages = [
        *("", "sections/the-company/", "sections/funds/", "people/", "people/new/", "people/new/?kind=person"),
        *(f"people/{party}/", f"people/{party}/removal/", "shares/", f"shares/classes/{share_class}/"),
        *("shares/classes/new/", f"shares/classes/{share_class}/removal/", "documents/", "check/", "copy/"),
    ]
    named = [reverse(f"portal:{name}", args=[draft.application.reference]) for name in ("carry_over", "removal")]
    return [*(f"{root(draft)}{page}" for page in pages), *named, "/applications/", "/accounts/email/"]


def answers(client: Client, address: str, language: str, **posted: str) -> str:
    headers = {"accept-language": language}
    response = client.post(address, posted, headers=headers) if posted else client.get(address, headers=headers)
    # Without a catalog, a page says so.
    assert response.status_code in (200, 409, 422, 503), (address, response.status_code)
    return str(response.content.decode())


@pytest.fixture
def begun(draft: Draft, owner: Any) -> Draft:
    """A draft with much still to do: needs, reasons and minimums are said."""
    raw = {"entity.name": "Larkfield Holdings", "xy.activity": "Trading"}
    factories.save_section(draft, "the-company", raw, by=owner)
    services.add_party(draft, "person", ["director", "shareholder", "manager"], {}, by=owner)
    services.add_share_class(draft, {}, by=owner)
    return open_draft(draft.application)


def test_nothing_of_ours_is_left_in_english(as_owner: Client, begun: Draft) -> None:
    with pseudo_language():
        check(as_owner, addresses(begun))
        funds = section_url(begun, "funds")
        parts = answers(as_owner, funds, CODE, **{"q:capital:amount": "x", "q:capital:currency": "USD", "version": "0"})
        assert foreign(parts) == []


def test_nothing_of_ours_is_left_in_english_where_all_is_there(
    as_owner: Client, as_nobody: Client, complete: Draft, owner: Any
) -> None:
    with pseudo_language():
        check(as_owner, addresses(complete))
        check(as_nobody, ("/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"))
        services.submit(complete, by=owner, declaration="I declare it.")
        names = ("status", "check", "withdrawal", "people", "shares")
        check(as_owner, [f"{root(complete)}{name}/" for name in names])


def check(client: Client, pages: Any) -> None:
    left = {address: found for address in pages if (found := foreign(answers(client, address, CODE)))}
    assert left == {}


def foreign(html: str) -> list[str]:
    """What a page says without a mark, beyond the schema's words and what was typed."""
    schema = {text for text in texts_of(factories.ITEM) if text}
    locale = Locale(CODE)
    names = [*locale.territories.values(), *(f"{name} ({code})" for code, name in locale.currencies.items())]
    months = locale.months["format"]["wide"].values()
    known = sorted(
        {*schema, *TYPED, *ADDRESSES, *OURS, *names, *months, *(one.capitalize() for one in schema)},
        key=len,
        reverse=True,
    )
    pattern = re.compile(
        "|".join(map(re.escape, known))
        + r"|FP-[\w-]+|\b[eox]\b|[Dd]ollar\w* statunitens\w|euro|\b[A-Z]{3} \([A-Z]{3}\)"
    )
    # What is offered there is the catalog's, whichever catalog this process has seen last.
    html = re.sub(r'<select class="input" id="product".*?</select>', "", html, flags=re.DOTALL)
    return [text for text in Unmarked(html).texts if any(map(str.isalpha, pattern.sub("", text)))]


def test_an_amount_reads_the_same_in_every_language(as_owner: Client, draft: Draft) -> None:
    address = section_url(draft, "funds")
    typed = {"q:capital:amount": "1.234,50", "q:capital:currency": "EUR", "version": "0"}
    as_owner.post(address, typed, headers={"accept-language": "de"})
    assert open_draft(draft.application).entity_raw["xy.capital"] == {"amount": "1,234.50", "currency": "EUR"}
    for language, shown in (("en", "1,234.50"), ("de", "1.234,50"), ("fr", "1\u202f234,50"), ("es", "1.234,50")):
        assert f'value="{shown}"' in answers(as_owner, address, language)


def test_an_amount_that_could_be_read_in_two_ways_is_told_at_its_field_and_read_back_with_it(
    as_owner: Client, owner: Any
) -> None:
    schema = deepcopy(factories.SCHEMA)
    schema["sections"][1]["fields"].append(factories.field("percent", "number"))
    draft = factories.new_draft(owner, schema=schema)
    factories.save_section(draft, "funds", {"xy.percent": "1.234"}, by=owner)
    address = section_url(draft, "funds")
    page = Markup(answers(as_owner, address, "fr"))
    doubt = page.one("p", id="q:percent-doubt")
    assert doubt.text == "Nous lisons 1,234, avec trois décimales. Si vous voulez un nombre entier, saisissez 1234."
    assert "q:percent-doubt" in page.one("input", name="q:percent").attributes["aria-describedby"]
    check = answers(as_owner, f"{root(draft)}check/", "fr")
    assert doubt.text in Markup(check).one("main").text


def test_numbers_of_shares_read_the_same_in_every_language(as_owner: Client, complete: Draft) -> None:
    address = f"{root(complete)}shares/"
    for language, shown in (("en", "10,000"), ("de", "10.000"), ("fr", "10\u202f000"), ("es", "10.000")):
        assert f'value="{shown}"' in answers(as_owner, address, language)
    version = Markup(answers(as_owner, address, "de")).one("input", name="version").attributes["value"]
    typed = {"holding:ada:ordinary": "12.500", "version": version}
    as_owner.post(address, typed, headers={"accept-language": "de"})
    [holding] = open_draft(complete.application).holdings.values()
    assert (holding.typed, holding.shares) == ("12,500", 12500)
