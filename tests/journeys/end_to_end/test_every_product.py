"""Every product, from catalog to submitted, by a client that knows none; the service then holds what was typed."""

import pytest

from formation_portal.applications.models import Application, Document, Party, ShareClass
from formation_portal.relay.worker import drain
from tests.embedded_catalog import catalog_items
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.clients import NO_FILES, Files, InProcessBrowser
from tests.journeys.end_to_end.service_record import assert_held_as_typed
from tests.journeys.page import Button, Form, Page

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SLUGS = [item["product"]["slug"] for item in catalog_items()]
# A foundation in every run, beside the company whose forms arrive twice; all in `make test-long`.
SHORT = "ch-foundation"
TRIED = [slug if slug == SHORT else pytest.param(slug, marks=pytest.mark.long) for slug in SLUGS]


class TwiceBrowser(InProcessBrowser):
    """Sends each form twice, as a proxy that has lost the first answer, and reads the second one."""

    def send(self, form: Form, button: Button, *, files: Files = NO_FILES, follow: bool = True) -> Page:
        if form.method == "post":
            super().send(form, button, files=files, follow=False)
        return super().send(form, button, files=files, follow=follow)


@pytest.mark.parametrize("slug", TRIED)
def test_every_product_is_submitted_by_a_generic_client_and_held_as_typed(slug: str, browser: InProcessBrowser) -> None:
    client = GenericClient(browser, is_thorough=True)
    links = [address for _, address in browser.get("/").links() if "/products/" in address]
    assert sorted(links) == sorted(f"/products/{slug}/" for slug in SLUGS)
    assert len(links) == 32

    overview = client.start(browser.get(f"/products/{slug}/"))
    status = client.submit(overview)
    drain()

    assert_held_as_typed(client, slug, overview.address.split("/")[-2])
    assert "Submitted" in status.words


def test_an_application_whose_every_form_arrives_twice_is_there_once(browser: InProcessBrowser) -> None:
    slug = "bvi-limited-company"
    twice = TwiceBrowser(browser.client)
    customer = GenericClient(twice, is_thorough=True)
    customer.submit(customer.start(twice.get(f"/products/{slug}/")))
    drain()

    application = Application.objects.get()
    typed = assert_held_as_typed(customer, slug, application.reference)
    assert Party.objects.count() == len(typed.parties)
    assert ShareClass.objects.count() == len(typed.classes)
    assert Document.objects.count() == len(customer.sent)
    assert application.submissions == 1
