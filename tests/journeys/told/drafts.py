"""Applications to begin a journey with."""

from typing import Any

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft, open_draft
from formation_portal.applications.models import Application
from tests.applications import made
from tests.journeys.conftest import new_user


def begun(owner: Any = None, **product: Any) -> Draft:
    """A new application of the small product."""
    return open_draft(saving.start(owner=owner or new_user(), product=made.product(**product)))


def complete() -> Draft:
    """An application that needs nothing more."""
    draft = begun()
    user: Any = draft.application.owner
    for key, raw in (("the-company", made.COMPANY), ("funds", made.FUNDS)):
        section = draft.schema.section(key)
        assert section is not None
        saving.save_section(draft, section, raw, version=draft.version(key), by=user)
    ada = saving.add_party(draft, "person", ["director", "shareholder"], made.ADA, by=user)
    ordinary = saving.add_share_class(draft, made.ORDINARY, by=user)
    saving.save_holdings(draft, {(ada.token, ordinary.token): "10,000"}, by=user)
    saving.add_document(draft, ada, "Passport", made.upload(), by=user)
    assert draft.needs == ()
    return draft


def now(draft: Draft) -> Draft:
    """The same, as it is stored."""
    return open_draft(Application.objects.get(pk=draft.application.pk))


def root(draft: Draft) -> str:
    """Where its pages are."""
    return f"/applications/{draft.application.reference}/"
