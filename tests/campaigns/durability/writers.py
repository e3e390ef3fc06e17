"""Writers, through the project's own code and nothing else: one that says each save once it has returned, and one of
many that write to one database at the same time."""

import hashlib
import json
import os
import random
import time
from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.db import OperationalError

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Document
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.models import Delivery, DeliveryState
from tests import factories
from tests.documents import sample_files

Saved = Mapping[str, Any]

# An application grows to what people enter, then a new one is started.
_SAVES_TO_AN_APPLICATION = 12


def save_for_ever(seed: int, pipe: int) -> None:
    """Save one application after the other, and say each save over a pipe, until somebody kills this process."""
    dice = random.Random(seed)
    owner = get_user_model().objects.get(email="demo@example.com")
    while True:
        draft = factories.new_draft(owner)
        _say(pipe, draft, kind="start")
        for number in range(1, _SAVES_TO_AN_APPLICATION + 1):
            kind = dice.choice(("section", "section", "party", "document"))
            if kind == "section":
                _save_section(draft, "the-company", {"entity.name": f"Larkfield {number}"}, owner)
                _say(pipe, draft, kind=kind, number=number)
            elif kind == "party":
                party = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
                _say(pipe, draft, kind=kind, token=party.token)
            else:
                upload = factories.upload(sample_files.pdf(text=dice.randbytes(10_000).hex()))
                document = services.add_document(draft, None, "Business plan", upload, by=owner)
                _say(pipe, draft, kind=kind, number=document.pk)


def _say(pipe: int, draft: Draft, **what: Any) -> None:
    os.write(pipe, (json.dumps({"reference": draft.application.reference, **what}) + "\n").encode())


def _save_section(draft: Draft, key: str, raw: Mapping[str, Any], owner: Any) -> None:
    section = draft.schema.section(key)
    assert section is not None
    usual = factories.COMPANY if key == "the-company" else factories.FUNDS
    services.save_section(draft, section, usual | raw, version=draft.version(key), by=owner)


def lost(saves: Iterable[Saved]) -> list[Saved]:
    drafts: dict[str, Draft] = {}
    missing: list[Saved] = []
    for save in saves:
        reference = save["reference"]
        if reference not in drafts:
            application = Application.objects.filter(reference=reference).first()
            if application is None:
                missing.append(save)
                continue
            drafts[reference] = open_draft(application)
        if not _is_there(drafts[reference], save):
            missing.append(save)
    return missing


def _is_there(draft: Draft, save: Saved) -> bool:
    if save["kind"] == "section":
        # A later save may have been done without anybody hearing of it.
        return int(draft.entity_raw.get("entity.name", " 0").split()[-1]) >= save["number"]
    if save["kind"] == "party":
        return draft.party(save["token"]) is not None
    if save["kind"] == "document":
        return any(document.pk >= save["number"] for document in draft.documents)
    return True


def half_done() -> list[str]:
    """Return the applications whose answers, history, files and deliveries do not fit together: half a save."""
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


class Writer:
    """Makes saves of every kind and calls of the relay; what went wrong is counted, and nothing is tried again."""

    def __init__(self, seed: int) -> None:
        self.writes = self.locked = self.not_done = 0
        self.spent: list[float] = []
        self._dice = random.Random(seed)
        self._owner: Any = get_user_model().objects.get(email="demo@example.com")
        self._draft: Draft | None = None
        self._saves = 0

    def work(self, share: int) -> None:
        while self.writes < share:
            action = self._dice.choices((self._save, self._relay), weights=(3, 1))[0]
            began = time.monotonic()
            try:
                action()
            except OperationalError:
                self.locked += 1
                self._draft = None
            self.spent.append(time.monotonic() - began)

    def _save(self) -> None:
        dice, owner, draft = self._dice, self._owner, self._draft
        if draft is None or self._saves == _SAVES_TO_AN_APPLICATION:
            self._draft, self._saves = factories.new_draft(owner), 0
            self.writes += 1
            return
        kind = dice.choice(("section", "section", "section", "party", "class"))
        if kind == "section":
            key = dice.choice(("the-company", "funds"))
            raw = {"entity.name": f"Larkfield {dice.random()}"} if key == "the-company" else {}
            _save_section(draft, key, raw, owner)
        elif kind == "party":
            raw = factories.ADA | {"person.first_name": f"Ada {dice.random()}"}
            services.add_party(draft, "person", ["director", "shareholder"], raw, by=owner)
        else:
            raw = factories.ORDINARY | {"share_class.name": f"Class {dice.random()}"}
            services.add_share_class(draft, raw, by=owner)
        self._saves += 1
        self.writes += 1

    def _relay(self) -> None:
        """Make one call for an application of anybody's: claimed, made at the service, concluded."""
        newest = list(Application.objects.order_by("-pk").values_list("pk", flat=True)[:12])
        called = make_next_call(self._dice.choice(newest)) if newest else None
        if called is None:
            return
        # The claim, the service's own transaction, the conclusion.
        self.writes += 3
        _, row = called
        self.not_done += row is None or row.state not in (DeliveryState.DONE, DeliveryState.QUEUED)
