"""Who is behind the holders, wherever an application is read back: as on the page of shares."""

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.desk.queue.queue_index import update_case
from tests.pdfs import read_pdf, squeezed
from tests.portal.pages import page_at, query_counts, root
from tests.portal.parties.test_owners import JOOST, KITE, duo, nodes, post

__all__ = ["duo"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def behind(as_owner: Client, duo: Draft) -> Draft:
    """Joost owns a part of Kestrel B.V., Kite Holding most of it, and somebody a part of Kite that cannot be read."""
    post(as_owner, duo, JOOST | {"part": "10%"})
    post(as_owner, duo, KITE)
    post(as_owner, duo, JOOST | {"first_name": "Mia", "part": "50%"}, "Kite Holding")
    draft = open_draft(duo.application)
    kite, mia = (row for row in draft.parties if row.label in ("Kite Holding", "Mia van der Meer"))
    services.save_owners(draft, kite, {mia.token: "about half"}, by=duo.application.owner)
    return open_draft(duo.application)


def submit_unchecked(draft: Draft) -> None:
    """As the desk sees it, whatever else it lacks."""
    changes = {"state": State.SUBMITTED_FOR_REVIEW, "submitted_at": timezone.now()}
    Application.objects.filter(pk=draft.application.pk).update(**changes)
    update_case(open_draft(Application.objects.get(pk=draft.application.pk)))


def test_customers_and_agents_read_what_the_page_of_shares_says(
    as_owner: Client, as_agent: Client, behind: Draft
) -> None:
    check = f"{root(behind)}check/"
    expected = nodes(page_at(as_owner, f"{root(behind)}shares/"))
    assert expected[3:] == [
        "Joost van der Meer10% of Kestrel B.V. Below the threshold7.5% of shares7.5% of votes",
        "Kite Holding75% of Kestrel B.V. Company56.25% of shares56.25% of votes",
        "Mia van der Meer“about half” of Kite Holding, which we can’t read",
    ]
    assert nodes(page_at(as_owner, check)) == expected
    submit_unchecked(behind)
    for client, address in ((as_owner, check), (as_agent, f"/desk/{behind.application.reference}/")):
        page = page_at(client, address)
        assert nodes(page) == expected
        assert "15% of Kestrel B.V. has no known owner." in page.one("main").text
        assert not [one for one in page.all("a") if "who owns" in one.text], "nothing can be changed here"
    headings = " ".join(heading.text for heading in page_at(as_owner, check).all("h3"))
    assert "Kestrel B.V." in headings
    assert "Kite Holding" not in headings, "the tree says all that there is of it"


def test_the_record_on_paper_says_the_same(as_owner: Client, behind: Draft) -> None:
    submit_unchecked(behind)
    record = squeezed(read_pdf(as_owner.get(f"{root(behind)}record.pdf").content).text)
    for words in (
        "Ultimate ownership",
        "– Joost van der Meer",
        "10% of Kestrel B.V.",
        "– Kite Holding",
        "56.25%",
        "– – Mia van der Meer",
        "“about half” of Kite Holding, which we can’t read",
        "15% of Kestrel B.V. has no known owner.",
    ):
        assert squeezed(words) in record, words


def test_the_owners_of_a_company_that_holds_nothing_are_not_left_out(as_owner: Client, behind: Draft) -> None:
    services.save_holdings(behind, dict.fromkeys(behind.holdings, ""), by=behind.application.owner)
    assert nodes(page_at(as_owner, f"{root(behind)}check/"))[1:] == [
        "Kestrel B.V.Shareholder. Company",
        "Joost van der Meer10% of Kestrel B.V. Below the threshold",
        "Kite Holding75% of Kestrel B.V. Company",
        "Mia van der Meer“about half” of Kite Holding, which we can’t read",
    ]


def test_however_many_owners_there_are_they_cost_one_query(as_owner: Client, as_agent: Client, duo: Draft) -> None:
    def counts() -> list[int]:
        submit_unchecked(duo)
        pages = (f"{root(duo)}{page}" for page in ("check/", "record.json", "record.pdf"))
        return query_counts(as_owner, *pages) + query_counts(as_agent, f"/desk/{duo.application.reference}/")

    before = counts()
    Application.objects.filter(pk=duo.application.pk).update(state=State.DRAFT)
    above = "Kestrel B.V."
    for index in range(4):
        name = f"Kite {index}"
        post(as_owner, duo, KITE | {"last_name": name}, above)
        post(as_owner, duo, JOOST | {"first_name": f"Joost {index}", "part": "10%"}, above)
        above = name
    assert counts() == before
