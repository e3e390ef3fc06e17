"""The forms of portal and desk, each filled in so that it does something where it may."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application, Party, ShareClass
from formation_portal.relay.models import Delivery
from formation_portal.reviews.models import ServiceStatus
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.access.world import (
    APPLICANT,
    BIRTH,
    CLAIMANT,
    EDITOR,
    LAST_NAME,
    NEWCOMER,
    OWNER,
    REVIEWER,
    Things,
    World,
)
from tests.applications.imports.sample_sheets import ADA, HEADS, as_csv
from tests.documents import sample_files

Data = Callable[[World, Things], dict[str, Any]]
# The agents who may review.
REVIEWERS = (NEWCOMER, CLAIMANT, REVIEWER, APPLICANT)


@dataclass(frozen=True)
class Post:
    """One filled-in form: the accounts that may send it, and the application it is about."""

    name: str
    senders: tuple[str, ...]
    things: Callable[[World], Things]
    data: Data
    status: int = 302


def sight(things: Things) -> str:
    """Return the version of the review that its pages send back."""
    return str(current_version(Application.objects.get(pk=things.case)))


def _nothing(_world: World, _things: Things) -> dict[str, Any]:
    return {}


def _seen(**more: Any) -> Data:
    return lambda world, things: {"sight": sight(things)} | more


def _of_draft(
    name: str, data: Data = _nothing, senders: tuple[str, ...] = (OWNER, EDITOR, APPLICANT), status: int = 302
) -> Post:
    return Post(f"portal:{name}", senders, lambda world: world.own["draft"], data, status)


def _at_desk(
    name: str, data: Data = _nothing, senders: tuple[str, ...] = (CLAIMANT, REVIEWER), status: int = 302
) -> Post:
    return Post(f"desk:{name}", senders, lambda world: world.own["submitted"], data, status)


def _of_unclaimed_case(name: str, data: Data = _nothing, senders: tuple[str, ...] = REVIEWERS) -> Post:
    return Post(f"desk:{name}", senders, lambda world: world.strangers["submitted"], data)


def _of_proposed_case(name: str, sender: str, **data: Any) -> Post:
    return Post(f"desk:{name}", (sender,), lambda world: world.own["proposed"], _seen(**data))


def _party(things: Things) -> dict[str, Any]:
    row = Party.objects.get(application=things.case, token=things.token)
    return {"version": str(row.version), "roles": ["", *row.roles]}


def _dismissal(_world: World, things: Things) -> dict[str, Any]:
    number = ServiceStatus.objects.get(application=things.case).pk
    return {"sight": sight(things), "number": number, "reason": "A mistake of theirs"}


def _evidence(world: World, things: Things) -> dict[str, Any]:
    back = f"/desk/{things.reference}/parties/{things.token}/?document={things.document}"
    return {"place": str(BIRTH), "says": "1985", "sight": sight(things), "back": back}


def _screening(_world: World, _things: Things) -> dict[str, Any]:
    return {"kind": "pep", "done_on": timezone.localdate().isoformat(), "outcome": "clear"}


def _section(_world: World, things: Things) -> dict[str, Any]:
    draft = open_draft(Application.objects.get(pk=things.case))
    return {"version": str(draft.version("the-company")), "q:name": "Kestrel", "q:activity": "Trading"}


def _shares(_world: World, things: Things) -> dict[str, Any]:
    draft = open_draft(Application.objects.get(pk=things.case))
    section = draft.schema.share_section
    assert section is not None
    return {"version": str(draft.version(section.key)), f"holding:{things.token}:{things.share_class}": "5,000"}


def _submission(_world: World, things: Things) -> dict[str, Any]:
    return {"declaration": "1", "revision": str(Application.objects.get(pk=things.case).revision)}


def _share_class(_world: World, things: Things) -> dict[str, Any]:
    row = ShareClass.objects.get(application=things.case, token=things.share_class)
    return {"version": str(row.version), "q:name": "Preferred", "q:currency": "USD", "q:par_value": "2"}


def _documents(_world: World, _things: Things) -> dict[str, Any]:
    return {"slot": "/Business plan", "file": factories.upload(sample_files.pdf(), "plan.pdf")}


POSTS: tuple[Post, ...] = (
    # The queue.
    _of_unclaimed_case("claims", lambda world, things: {"case": things.case}),
    _of_unclaimed_case("claim"),
    _of_unclaimed_case("next_case"),
    _of_unclaimed_case(
        "assignments",
        lambda world, things: {"case": things.case, "agent": world.accounts[CLAIMANT].pk},
        (NEWCOMER, REVIEWER, APPLICANT),
    ),
    _of_unclaimed_case(
        "assignment",
        lambda world, things: {"agent": world.accounts[CLAIMANT].pk},
        (NEWCOMER, REVIEWER, APPLICANT),
    ),
    _at_desk("releases", lambda world, things: {"case": things.case}, (CLAIMANT,)),
    _at_desk("release", senders=(CLAIMANT,)),
    # A case.
    _at_desk("acceptances", lambda world, things: {"place": str(BIRTH), "sight": sight(things)}),
    _at_desk("reopenings", lambda world, things: {"place": str(LAST_NAME), "sight": sight(things)}),
    _at_desk("queries", _seen(place=str(BIRTH), text="Which year?")),
    _at_desk("query_removal", _seen()),
    _at_desk("query_resolution", _seen()),
    _at_desk("notes", _seen(note="Look at this")),
    _at_desk("note_removal", senders=(REVIEWER,)),
    _at_desk("evidence", _evidence),
    _at_desk("screening", _screening),
    _at_desk("screening_removal"),
    _at_desk("decision", _seen(decision="return", text="Look again"), (CLAIMANT,)),
    _at_desk("service_status_dismissal", _dismissal),
    _of_proposed_case("decision_confirmation", CLAIMANT, certain="1"),
    _of_proposed_case("decision_refusal", CLAIMANT, why="Not so"),
    _of_proposed_case("decision_withdrawal", REVIEWER),
    _at_desk(
        "delivery_resolution",
        lambda world, things: {
            "decision": "absent",
            "seen": Delivery.objects.get(pk=things.delivery).updated_at.isoformat(),
        },
    ),
    # The agents' common texts, and the API keys.
    _at_desk("texts", lambda *_: {"title": "New", "text": "Certify it."}, REVIEWERS),
    _at_desk("text", lambda *_: {"title": "Copy", "text": "Certify both.", "version": "1"}, REVIEWERS),
    _at_desk("text_removal", senders=REVIEWERS),
    _at_desk("api_keys", lambda *_: {"name": "New", "days": "30", "scopes": "entities:read"}, REVIEWERS, 200),
    _at_desk("api_key_revocation", senders=REVIEWERS),
    # A draft.
    _of_draft("copy"),
    _of_draft("section", _section),
    _of_draft("party", lambda world, things: _party(things) | {"q:person.last_name": "King"}),
    _of_draft("party_removal"),
    _of_draft("party_restoration"),
    _of_draft(
        "party_new",
        lambda *_: {"kind": "person", "roles": ["", "director"], "token": "abcdefghjk", "q:person.first_name": "Eve"},
    ),
    _of_draft("spreadsheet", lambda *_: {"sheet": factories.upload(as_csv(HEADS, ADA), "people.csv")}),
    _of_draft("party_import_removal"),
    _of_draft("shares", _shares),
    _of_draft(
        "share_class_new",
        lambda *_: {"token": "bcdefghjkm", "q:name": "B", "q:currency": "USD", "q:par_value": "1"},
    ),
    _of_draft("share_class", _share_class),
    _of_draft("share_class_removal"),
    _of_draft("holding_removal"),
    _of_draft("documents", _documents),
    _of_draft("document_removal"),
    # The forms of the owner alone.
    _of_draft("submission", _submission, (OWNER,)),
    _of_draft("removal", _submission, (OWNER,)),
    _of_draft("access", lambda *_: {"email": "new@example.com", "right": "view"}, (OWNER,)),
    _of_draft("collaborator", lambda *_: {"right": "view"}, (OWNER,)),
    _of_draft("collaborator_removal", senders=(OWNER,)),
    _of_draft("invitation", lambda *_: {"email": "other@example.com"}, (OWNER,)),
    _of_draft("invitation_withdrawal", senders=(OWNER,)),
    Post("portal:withdrawal", (OWNER,), lambda world: world.own["submitted"], _submission),
    Post(
        "portal:replies",
        (OWNER, EDITOR, APPLICANT),
        lambda world: world.own["returned"],
        lambda world, things: {f"reply:{things.sent_query}": "It is right", f"reply-was:{things.sent_query}": ""},
    ),
)
