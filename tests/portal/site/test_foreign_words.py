"""With the embedded catalog a page is in its reader's language: at most one word in twenty is in another."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from formation_portal.gateway.catalog import catalog
from tests.foreign_words import described, measure

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("full_catalog")]

AT_MOST = 0.05
PRODUCTS = ("bvi-limited-company", "gmbh-zug", "delaware-c-corp", "panama-foundation", "spanish-sociedad-limitada-sl")
LANGUAGES = ("de", "fr", "es")


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
