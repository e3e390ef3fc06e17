"""What is known of the service stands beside its deliveries, and only trouble is told apart."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.relay.models import Reason
from formation_portal.relay.service_profile import update_profile
from tests.desk.undecided_deliveries import page_of, path, put

pytestmark = pytest.mark.django_db(databases=["default", "service"])

FAILED = "The formation service failed to answer 5 times in a row."
PROBED = "The formation service was last probed on "


def test_beside_a_delivery_only_trouble_is_a_warning(complete: Draft, as_agent: Client) -> None:
    row = put("party", "held", Reason.UNCLEAR)
    update_profile(probed_at=timezone.now(), failures=5, open_until=timezone.now() + timedelta(minutes=1))
    page = page_of(as_agent, path(row))
    rail = page.one("aside", aria_label="About the service")
    shown = [one for one in page.all("p") if rail in one.ancestors]
    assert [
        (one.attributes["class"], one.text.strip().startswith(words))
        for one, words in zip(shown, (FAILED, PROBED), strict=True)
    ] == [
        ("small is-warning", True),
        ("small quiet", True),
    ]
    assert [one.text.startswith(FAILED) for one in page.all("span", class_="status") if rail in one.ancestors] == [True]
