"""Whatever a customer sends arrives twice, as by a proxy that has lost the first answer: all of it is there once."""

import pytest

from formation_portal.applications.models import Application, Document, Party, ShareClass
from formation_portal.gateway.configuration import service
from formation_portal.relay.worker import drain
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.clients import NO_FILES, Files, InProcessBrowser
from tests.journeys.end_to_end.expected_record import expected_record
from tests.journeys.end_to_end.service_record import differences, read_service_record
from tests.journeys.page import Button, Form, Page

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SLUG = "bvi-limited-company"


class TwiceBrowser(InProcessBrowser):
    """Sends each form twice, and reads the second answer."""

    def send(self, form: Form, button: Button, *, files: Files = NO_FILES, follow: bool = True) -> Page:
        if form.method == "post":
            super().send(form, button, files=files, follow=False)
        return super().send(form, button, files=files, follow=follow)


def test_an_application_whose_every_form_arrives_twice_is_there_once(browser: InProcessBrowser) -> None:
    twice = TwiceBrowser(browser.client)
    customer = GenericClient(twice, is_thorough=True)
    overview = customer.start(twice.get(f"/products/{SLUG}/"))
    customer.submit(overview)
    drain()

    application = Application.objects.get()
    schema = next(item["schema"] for item in service().catalog().items or [] if item["product"]["slug"] == SLUG)
    wanted = expected_record(customer, schema)
    found = read_service_record(application.reference, schema)
    assert differences(wanted, found) == []
    assert Party.objects.count() == len(wanted.parties)
    assert ShareClass.objects.count() == len(wanted.classes)
    assert Document.objects.count() == len(customer.sent)
    assert (application.submissions, found.status) == (1, "submitted_for_review")
