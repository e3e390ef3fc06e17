"""A process that saves and says so, over a pipe, only once the save has returned; and what must be there afterwards."""

import hashlib
import json
import os
import random
from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth import get_user_model

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Document
from formation_portal.relay.models import Delivery
from tests import factories
from tests.documents import sample_files

Saved = Mapping[str, Any]


def save_for_ever(seed: int, pipe: int) -> None:
    """One application after the other, until somebody kills this process."""
    dice = random.Random(seed)
    owner = get_user_model().objects.get(email="demo@example.com")
    while True:
        draft = factories.new_draft(owner)
        _say(pipe, draft, kind="start")
        for number in range(1, 13):
            _say(pipe, draft, **_save(draft, number, dice, owner))


def _say(pipe: int, draft: Draft, **what: Any) -> None:
    line = json.dumps({"reference": draft.application.reference, **what}) + "\n"
    os.write(pipe, line.encode())


def _save(draft: Draft, number: int, dice: random.Random, owner: Any) -> dict[str, Any]:
    kind = dice.choice(("section", "section", "party", "document"))
    if kind == "section":
        section = draft.schema.section("the-company")
        assert section is not None
        raw = factories.COMPANY | {"entity.name": f"Larkfield {number}"}
        services.save_section(draft, section, raw, version=draft.version(section.key), by=owner)
        return {"kind": kind, "number": number}
    if kind == "party":
        party = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
        return {"kind": kind, "token": party.token}
    content = sample_files.pdf(text=dice.randbytes(10_000).hex())
    document = services.add_document(draft, None, "Business plan", factories.upload(content), by=owner)
    return {"kind": kind, "number": document.pk}


def lost(saves: Iterable[Saved]) -> list[Saved]:
    """What was acknowledged and is not there."""
    drafts: dict[str, Draft] = {}
    missing: list[Saved] = []
    for one in saves:
        reference = one["reference"]
        if reference not in drafts:
            found = Application.objects.filter(reference=reference).first()
            if found is None:
                missing.append(one)
                continue
            drafts[reference] = open_draft(found)
        if not _is_there(drafts[reference], one):
            missing.append(one)
    return missing


def _is_there(draft: Draft, one: Saved) -> bool:
    if one["kind"] == "section":
        # A later save may have been done without anybody hearing of it.
        return int(draft.entity_raw.get("entity.name", " 0").split()[-1]) >= one["number"]
    if one["kind"] == "party":
        return draft.party(one["token"]) is not None
    if one["kind"] == "document":
        return any(document.pk >= one["number"] for document in draft.documents)
    return True


def half_done() -> list[str]:
    """Applications whose answers, history, files and deliveries do not fit together: half a save."""
    return [application.reference for application in Application.objects.all() if not _fits(open_draft(application))]


def _fits(draft: Draft) -> bool:
    application = draft.application
    delivery = Delivery.objects.filter(application=application, kind="entity").first()
    wanted = delivery.wanted["answers"].get("entity.name") if delivery and delivery.wanted else None
    parties = {row.subject for row in Delivery.objects.filter(application=application, kind="party")}
    return (
        application.changes.count() == application.revision + 1
        and wanted == draft.entity_raw.get("entity.name")
        and parties == {party.token for party in draft.party_models}
        and all(_is_whole(document) for document in draft.documents)
    )


def _is_whole(document: Document) -> bool:
    """Return True if the file of a document is there with the content that was uploaded. It is stored encrypted."""
    if not document.file.storage.exists(document.file.name):
        return False
    with document.file.open() as file:
        return hashlib.sha256(file.read()).hexdigest() == document.sha256
