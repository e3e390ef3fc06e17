"""One writer: saves of every kind, and calls of the relay, through the project's own code and nothing else."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth import get_user_model
from django.db import OperationalError

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.models import DeliveryState
from formation_portal.service.catalog.loader import store_catalog
from tests import factories

# An application grows to what people enter, then a new one is started.
_SAVES_TO_AN_APPLICATION = 12


def prepare() -> None:
    """The service knows the small product."""
    store_catalog([factories.ITEM])


@dataclass
class Writer:
    """Writes until it has done its share; what went wrong is counted, and nothing is tried again."""

    seed: int
    writes: int = 0
    locked: int = 0
    not_done: int = 0
    slowest: float = 0.0
    spent: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)
        self._owner: Any = get_user_model().objects.get(email="demo@example.com")
        self._draft: Draft | None = None
        self._saves = 0

    def work(self, share: int) -> None:
        """At least so many committed writes."""
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
        if self._draft is None or self._saves == _SAVES_TO_AN_APPLICATION:
            self._draft, self._saves = open_draft(services.start(owner=self._owner, product=factories.product())), 0
            self.writes += 1
            return
        actions: list[Callable[[Draft], object]] = [
            self._section,
            self._section,
            self._section,
            self._party,
            self._class,
        ]
        self._dice.choice(actions)(self._draft)
        self._saves += 1
        self.writes += 1

    def _section(self, draft: Draft) -> None:
        key, raw = self._dice.choice((("the-company", factories.COMPANY), ("funds", factories.FUNDS)))
        section = draft.schema.section(key)
        assert section is not None
        raw = raw | ({"entity.name": f"Larkfield {self._dice.random()}"} if key == "the-company" else {})
        services.save_section(draft, section, raw, version=draft.version(key), by=self._owner)

    def _party(self, draft: Draft) -> None:
        raw = factories.ADA | {"person.first_name": f"Ada {self._dice.random()}"}
        services.add_party(draft, "person", ["director", "shareholder"], raw, by=self._owner)

    def _class(self, draft: Draft) -> None:
        raw = factories.ORDINARY | {"share_class.name": f"Class {self._dice.random()}"}
        services.add_share_class(draft, raw, by=self._owner)

    def _relay(self) -> None:
        """One call for an application of anybody's: claimed, made at the service, concluded."""
        newest = list(Application.objects.order_by("-pk").values_list("pk", flat=True)[:12])
        called = make_next_call(self._dice.choice(newest)) if newest else None
        if called is None:
            return
        # The claim, the service's own transaction, the conclusion.
        self.writes += 3
        _, row = called
        self.not_done += row is None or row.state not in (DeliveryState.DONE, DeliveryState.QUEUED)
