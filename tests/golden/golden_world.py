"""The world of the table of access, with applications in further states beside it."""

from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications import services
from tests import factories
from tests.access import world as worlds
from tests.access.world import REVIEWER, Things, World
from tests.golden.markup_lines import Volatile


@dataclass
class GoldenWorld:
    """The world, and applications that it has none of; each belongs to a customer of its own."""

    world: World
    new: Things
    varied: Things
    varied_submitted: Things
    reviewed: Things
    customer: Any
    volatile: Volatile


def build() -> GoldenWorld:
    world = worlds.build()
    customer = worlds.person("siri@example.com", first_name="Siri", last_name="Lund")
    reviewer = world.accounts[REVIEWER]
    drafts = {
        "new": factories.new_draft(customer),
        "varied": factories.varied_draft(customer),
        "varied-submitted": factories.varied_draft(customer),
        "reviewed": factories.reviewed_draft(customer, reviewer),
    }
    services.submit(drafts["varied-submitted"], by=customer, declaration="I declare it.")
    things = {name: _things(draft) for name, draft in drafts.items()}
    User.objects.update(date_joined=timezone.now())
    return GoldenWorld(world, *things.values(), customer, Volatile(_names(world, things)))


def _things(draft: Any) -> Things:
    application = draft.application
    party = draft.parties[0].token if draft.parties else "nobody"
    share_class = draft.share_classes[0].token if draft.share_classes else "none"
    document = application.documents.order_by("pk").values_list("pk", flat=True).first() or 0
    return Things(application.reference, token=party, share_class=share_class, document=document, case=application.pk)


def _names(world: World, things: dict[str, Things]) -> dict[str, str]:
    """Return what to call the references of this run."""
    named = {f"own-{state}": its for state, its in world.own.items()}
    named |= {f"strangers-{state}": its for state, its in world.strangers.items()} | things
    references = {its.reference: f"FP-{name.upper()}" for name, its in named.items()}
    parts = {its.part: f"PART-{name.upper()}" for name, its in named.items() if its.part}
    sheets = {its.sheet: f"SHEET-{name.upper()}" for name, its in named.items() if its.sheet}
    removed = {its.removed: f"REMOVED-{name.upper()}" for name, its in named.items() if its.removed}
    return references | parts | sheets | removed
