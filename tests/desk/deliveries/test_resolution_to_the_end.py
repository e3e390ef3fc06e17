"""From a lost answer to the end: the relay holds it, an agent settles it on its page, and the rest goes out."""

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.relay.models import Delivery
from formation_portal.relay.service_profile import Capabilities, update_profile
from formation_portal.relay.worker import drain
from tests.markup import Markup
from tests.relay.conftest import _files_go_nowhere_else, row, service, transport
from tests.relay.flaky_transport import FlakyTransport, lost_after, lost_before

__all__ = ["_files_go_nowhere_else", "service", "transport"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def drain_all() -> None:
    """As long as it takes: what ends in doubt is tried once by each."""
    for _ in range(3):
        drain()


def resolve(client: Client, **decision: str) -> None:
    """As an agent does it: through the list, to the one thing there, to the form."""
    listed = Markup(client.get("/desk/deliveries/?state=undecided").content.decode())
    [link] = listed.all("a", class_="thing")
    page = Markup(client.get(link.attributes["href"]).content.decode())
    seen = page.one("input", name="seen").attributes["value"]
    [form] = [one for one in page.all("form") if one.attributes.get("action", "").endswith("/decision/")]
    response = client.post(form.attributes["action"], {"seen": seen, **decision})
    assert response.status_code == 302
    assert client.get(response["Location"]).status_code == 200


def test_a_share_class_that_is_there_is_bound(
    transport: FlakyTransport, complete: Draft, service: FormationService, as_agent: Client
) -> None:
    update_profile(capabilities=Capabilities())
    transport.fail_on("POST entities/share-classes", lost_after, times=1)
    drain_all()
    entity_id = row("entity").remote_id
    assert service.records(entity_id, Collection.SHAREHOLDINGS) == [], "they wait for the id of their class"
    [share_class] = service.records(entity_id, Collection.SHARE_CLASSES)
    resolve(as_agent, decision="bind", remote_id=share_class["id"])
    drain_all()
    assert [one["share_class_id"] for one in service.records(entity_id, Collection.SHAREHOLDINGS)] == [
        share_class["id"]
    ]
    assert len(service.records(entity_id, Collection.SHARE_CLASSES)) == 1
    assert {one.state for one in Delivery.objects.all()} == {"done"}


def test_a_share_class_that_is_not_there_is_sent_once_more(
    transport: FlakyTransport, complete: Draft, service: FormationService, as_agent: Client, as_owner: Client
) -> None:
    update_profile(capabilities=Capabilities())
    transport.fail_on("POST entities/share-classes", lost_before, times=1)
    drain_all()
    check = f"/applications/{complete.application.reference}/check/"
    assert "With our team" in as_owner.get(check).content.decode()
    resolve(as_agent, decision="absent")
    drain_all()
    assert len(service.records(row("entity").remote_id, Collection.SHARE_CLASSES)) == 1
    assert transport.endpoints.count("POST entities/share-classes") == 2
    assert {one.state for one in Delivery.objects.all()} == {"done"}
    assert "With our team" not in as_owner.get(check).content.decode()
