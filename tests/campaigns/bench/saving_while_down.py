"""What saving a section takes while the service is down, with the wait for the worker and without it."""

import statistics
import time
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils.http import urlencode

from formation_portal.applications import services
from formation_portal.contract.catalog import CatalogItem
from formation_portal.relay.models import Delivery, ServiceProfile
from tests.journeys.clients import FORM
from tests.journeys.page import Page

from . import forms
from .setup import OutageSetup
from .unreachable import FAILURES

Measure = tuple[str, float, str]

# Questions on the page.
_SIZE = 60
_WAIT_MS = 250


def saving_while_down(*, small: bool) -> Iterator[Measure]:
    """Wall-clock time of a POST, for each way to be down; the last line is the worse of them."""
    added = []
    for failure in FAILURES:
        waited, unwaited = (_save_p95(failure, wait_ms=wait, saves=6 if small else 100) for wait in (_WAIT_MS, 0))
        yield f"save_p95_service_down_{failure}", waited, "ms"
        yield f"save_p95_no_wait_{failure}", unwaited, "ms"
        added.append(waited - unwaited)
    yield "save_p95_added", max(added), "ms"


def _save_p95(failure: str, *, wait_ms: int, saves: int) -> float:
    settings.RELAY_WAIT_MS = wait_ms
    setup = OutageSetup(can_edit=True)
    client, addresses = _set_up(saves + 1)
    data = _filled_in(client, addresses.pop())
    with setup.workers(1), setup.unreachable(failure):
        taken = [_save(client, address, data) for address in addresses]
    return statistics.quantiles(taken, n=20)[-1] * 1000


def _set_up(count: int) -> tuple[Client, list[str]]:
    """A customer, and addresses of the same section in applications of which the relay knows nothing yet."""
    owner, _ = get_user_model().objects.get_or_create(email="saver@example.com")
    client = Client()
    client.force_login(owner, backend=settings.AUTHENTICATION_BACKENDS[0])
    product = CatalogItem.model_validate(forms.product(_SIZE))
    started = [services.start(owner=owner, product=product) for _ in range(count)]
    Delivery.objects.all().delete()
    return client, [f"/applications/{one.reference}/sections/questions/" for one in started]


def _filled_in(client: Client, address: str) -> str:
    """What a browser posts of the section: the same for all applications that are new."""
    form = Page(client.get(address).content.decode(), address).form(button="Save")
    form.control("Question number 0").filled = ["Larkfield Holdings"]
    return urlencode(form.data(form.button("Save")))


def _save(client: Client, address: str, data: str) -> float:
    """Seconds. The worst case each time: the breaker is closed, so that the worker tries to call, and may wait."""
    ServiceProfile.objects.update(failures=0, open_until=None, recent_calls=[], retries_left=None)
    began = time.perf_counter()
    answer: Any = client.post(address, data, content_type=FORM)
    taken = time.perf_counter() - began
    assert answer.status_code == 302, answer.status_code
    return taken
