"""With the embedded catalog a page is in its reader's language: at most one word in twenty is in another."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.gateway.catalog import catalog
from tests.each_once import each_once
from tests.foreign_words import described, measure

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("full_catalog")]

AT_MOST = 0.05
PRODUCTS = ("bvi-limited-company", "gmbh-zug", "delaware-c-corp", "panama-foundation", "spanish-sociedad-limitada-sl")
LANGUAGES = ("de", "fr", "es")


def start(owner: Any, slug: str) -> Draft:
    """A draft with somebody in each role, and a share class where there are any."""
    found = catalog().find(slug)
    assert found is not None
    assert found.item is not None
    draft = open_draft(services.start(owner=owner, product=found.item))
    for section in draft.schema.role_sections:
        services.add_party(draft, "person", [section.role or ""], {}, by=owner)
    if draft.schema.share_section:
        services.add_share_class(draft, {}, by=owner)
    return open_draft(draft.application)


def pages(draft: Draft) -> list[str]:
    reference = draft.application.reference
    names = ["overview", "people", "party_new", "documents", "check", "applications", "carry_over"]
    names += ["shares", "share_class_new"] if draft.schema.share_section else []
    found = [reverse(f"portal:{name}", args=[reference] if name != "applications" else []) for name in names]
    found += [reverse("portal:section", args=[reference, section.key]) for section in draft.schema.entity_sections]
    found += [reverse("portal:party", args=[reference, row.token]) for row in draft.parties]
    return [*found, f"{reverse('portal:party_new', args=[reference])}?kind=person"]


def in_every_language() -> None:
    for language in LANGUAGES:
        with translation.override(language):
            catalog()


def too_foreign(client: Client, addresses: list[str], language: str) -> dict[str, Any]:
    wrong = {}
    for address in addresses:
        response = client.get(address, headers={"accept-language": language})
        assert response.status_code == 200, address
        found = measure(response.content.decode(), language)
        assert found.texts
        if found.share > AT_MOST:
            wrong[address] = (round(found.share, 3), list(described(found.foreign))[:40])
    return wrong


@pytest.mark.parametrize("share", [len(LANGUAGES), pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogs_pages_are_in_the_readers_language(client: Client, language: str, share: int) -> None:
    """All products in each language, or in short each product in one."""
    in_every_language()
    compared = "&".join(f"product={slug}" for slug in PRODUCTS[:3])
    addresses = ["/", f"{reverse('portal:guide')}?people=1", f"{reverse('portal:compare')}?{compared}"]
    for product in catalog().items[LANGUAGES.index(language) % share :: share]:
        addresses += [f"/products/{product.key}/", f"/products/{product.key}/checklist/"]
    assert too_foreign(client, addresses, language) == {}


@pytest.mark.parametrize(("language", "slug"), each_once(LANGUAGES, PRODUCTS))
def test_an_applications_pages_are_in_the_readers_language(
    as_owner: Client, owner: Any, language: str, slug: str
) -> None:
    in_every_language()
    draft = start(owner, slug)
    assert too_foreign(as_owner, pages(draft), language) == {}
    Application.objects.filter(pk=draft.application.pk).update(
        state=State.SUBMITTED_TO_CSP, submitted_at=timezone.now()
    )
    status = reverse("portal:status", args=[draft.application.reference])
    assert too_foreign(as_owner, [status, status.replace("status", "check")], language) == {}
