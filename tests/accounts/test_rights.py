"""What single agents may do: every action of the desk asks for a right, and whoever lacks it reads which one."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.accounts.models import Right, User
from formation_portal.accounts.policies import Policy, rights_of
from formation_portal.desk.case_access import Opens, opens_of
from tests.accounts.test_policies import Address, guarded
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

DESK = guarded(Policy.AGENT)
ASKED = [(address, right) for address in DESK for right in sorted(rights_of(address.view))]


def test_every_address_of_the_desk_that_takes_a_post_asks_for_a_right(as_agent: Client) -> None:
    unasked = [one for one in DESK if not rights_of(one.view) and opens_of(one.view) is not Opens.DOCUMENTS]
    # The queue takes words to search for (desk/queue/searches.py), and agents undo their own decisions alone, made by
    # either right.
    taken = [one.path for one in unasked if as_agent.post(one.path).status_code != 405]
    assert taken == ["/desk/", "/desk/sample/ruling/reversal/"]


def test_every_right_is_asked_for() -> None:
    # Those to cases by what a view opens (tests/desk/test_case_access.py).
    assert {right for _, right in ASKED} == set(Right) - {Right.OWN_CASES, Right.ALL_CASES}


@pytest.mark.parametrize(("address", "right"), ASKED, ids=str)
def test_whoever_lacks_a_right_is_turned_away_and_reads_which(
    address: Address, right: Right, agent: User, as_agent: Client
) -> None:
    agent.set_rights([one for one in Right.values if one != right])
    for ask in (as_agent.get, as_agent.post):
        response = ask(address.path)
        # A view that takes only one method says so to everybody.
        assert response.status_code in (403, 405), address.path
        assert response.status_code == 405 or f"“{right.value}”" in response.content.decode()


def test_the_page_names_colleagues_to_ask(agent: User, as_agent: Client) -> None:
    User.objects.create_user("dev@example.com", first_name="Dev", last_name="Ramanathan", is_agent=True)
    User.objects.create_user("zoe@example.com", first_name="Zoe", last_name="Quist", is_agent=True, rights=["review"])
    User.objects.create_user("otto@example.com", first_name="Otto", last_name="Fremd")
    # Has left: nobody can ask them.
    User.objects.create_user("abe@example.com", first_name="Abe", last_name="Past", is_agent=True, is_active=False)
    agent.set_rights([])
    markup = Markup(as_agent.get("/desk/audit/").content.decode())
    assert markup.faults == []
    main = markup.one("main").text
    assert "Ask a colleague who has this right: Dev Ramanathan." in main
    assert "agent_rights agent@example.com --give audit" in main


def test_a_customer_has_no_rights(owner: User) -> None:
    assert owner.get_all_permissions() == set()


def test_a_new_agent_has_all_rights_unless_some_are_named(agent: User) -> None:
    assert agent.get_all_permissions() == {right.permission for right in Right}
    other = User.objects.create_user("dev@example.com", is_agent=True, rights=["review", "rule the world"])
    assert other.get_all_permissions() == {"accounts.review"}


def test_a_customers_page_asks_for_no_rights(as_owner: Client) -> None:
    with CaptureQueriesContext(connection) as captured:
        as_owner.get("/applications/")
    assert [one["sql"] for one in captured if "auth_permission" in one["sql"]] == []
