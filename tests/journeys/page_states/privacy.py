"""States of what a person may ask about their data, and of what was deleted in time."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Document
from formation_portal.contract.lifecycle import State
from tests import factories
from tests.journeys.page_states.screenshots import Shot


def privacy_states() -> Iterator[Shot]:
    """The demo's customer has a draft, an application under way and one that was decided."""
    owner = get_user_model().objects.get(email="demo@example.com")
    draft, under_way, decided = (_complete(owner) for _ in range(3))
    for one in (under_way, decided):
        services.submit(one, by=owner)
    Application.objects.filter(pk=decided.application.pk).update(state=State.REJECTED)
    yield Shot("your-data", "/your-data/")
    yield Shot("your-data-agent", "/your-data/", who="agent")
    yield Shot("account-deletion-later", "/your-data/deletion/")
    Application.objects.filter(pk=under_way.application.pk).update(state=State.WITHDRAWN)
    yield Shot("account-deletion", "/your-data/deletion/")
    yield Shot("account-deletion-agent", "/your-data/deletion/", who="agent")
    yield Shot("account-deleted", "/your-data/deleted/", who="nobody")
    Application.objects.filter(pk=draft.application.pk).update(deletion_announced_at=timezone.now())
    yield Shot("overview-announced", f"/applications/{draft.application.reference}/")
    root, desk = f"/applications/{decided.application.reference}/", f"/desk/{decided.application.reference}/"
    yield Shot("party-erasure-refused", f"{desk}parties/ada/erasure/", who="agent")
    yield Shot("party-erasure", f"/desk/{under_way.application.reference}/parties/ada/erasure/", who="agent")
    passport = Document.objects.get(application=decided.application)
    Document.objects.filter(pk=passport.pk).update(file="", findings={}, copy_removed_at=timezone.now())
    yield Shot("documents-removed-copies", f"{root}documents/")
    yield Shot("file-removed", f"{root}documents/{passport.pk}/")
    yield Shot("case-removed-copies", desk, who="agent")
    yield Shot("party-removed-copies", f"{desk}parties/ada/", who="agent")


def _complete(owner: Any) -> Draft:
    return factories.complete_draft(owner)
