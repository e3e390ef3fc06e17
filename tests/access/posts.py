"""Posts that somebody may make, each with what a form would send: it does something, and from others nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application, Party, ShareClass
from formation_portal.relay.models import Delivery
from formation_portal.reviews.models import ServiceStatus
from formation_portal.reviews.transactions import current_version
from tests.access.world import ALL, APPLICANT, ASSIGNED, BIRTH, EDITOR, LAST_NAME, OWNER, UNASSIGNED, Things, World
from tests.applications import factories
from tests.applications.imports.sample_sheets import ADA, HEADS, as_csv
from tests.documents import sample_files

Data = Callable[[World, Things], dict[str, Any]]


@dataclass(frozen=True)
class Post:
    """One form: its address's name, who sends it, what about, and what it says."""

    name: str
    who: tuple[str, ...]
    of: Callable[[World], Things]
    data: Data
    status: int = 302


def sight(things: Things) -> str:
    """What a page of the review was drawn with."""
    return str(current_version(Application.objects.get(pk=things.case)))


def _nothing(_world: World, _things: Things) -> dict[str, Any]:
    return {}


def _seen(**more: Any) -> Data:
    return lambda world, things: {"sight": sight(things)} | more


def _of_draft(
    name: str, data: Data = _nothing, who: tuple[str, ...] = (OWNER, EDITOR, APPLICANT), status: int = 302
) -> Post:
    return Post(f"portal:{name}", who, lambda world: world.draft, data, status)


def _at_desk(name: str, data: Data = _nothing, who: tuple[str, ...] = (ASSIGNED, ALL), status: int = 302) -> Post:
    return Post(f"desk:{name}", who, lambda world: world.submitted, data, status)


def _about_others(name: str, data: Data = _nothing) -> Post:
    """What is done to a case in the queue that nobody has claimed."""
    return Post(
        f"desk:{name}", (UNASSIGNED, ASSIGNED, ALL, APPLICANT), lambda world: world.elsewhere["submitted"], data
    )


def _proposed(name: str, who: str, **data: Any) -> Post:
    return Post(f"desk:{name}", (who,), lambda world: world.proposed, _seen(**data))


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


RIGHTFUL = (UNASSIGNED, ASSIGNED, ALL, APPLICANT)
POSTS: tuple[Post, ...] = (
    # The queue.
    _about_others("claims", lambda world, things: {"case": things.case}),
    _about_others("claim"),
    _about_others("next_case"),
    Post(
        "desk:assignments",
        (UNASSIGNED, ALL, APPLICANT),
        lambda world: world.elsewhere["submitted"],
        lambda world, things: {"case": things.case, "agent": world.people[ASSIGNED].pk},
    ),
    Post(
        "desk:assignment",
        (UNASSIGNED, ALL, APPLICANT),
        lambda world: world.elsewhere["submitted"],
        lambda world, things: {"agent": world.people[ASSIGNED].pk},
    ),
    _at_desk("releases", lambda world, things: {"case": things.case}, (ASSIGNED,)),
    _at_desk("release", who=(ASSIGNED,)),
    # A case.
    _at_desk("acceptances", lambda world, things: {"place": str(BIRTH), "sight": sight(things)}),
    _at_desk("reopenings", lambda world, things: {"place": str(LAST_NAME), "sight": sight(things)}),
    _at_desk("queries", _seen(place=str(BIRTH), text="Which year?")),
    _at_desk("query_removal", _seen()),
    _at_desk("query_resolution", _seen()),
    _at_desk("notes", _seen(note="Look at this")),
    _at_desk("note_removal", who=(ALL,)),
    _at_desk("evidence", _evidence),
    _at_desk("screening", _screening),
    _at_desk("screening_removal"),
    _at_desk("decision", _seen(deed="return", text="Look again"), (ASSIGNED,)),
    _at_desk("service_status_dismissal", _dismissal),
    _proposed("decision_confirmation", ASSIGNED, certain="1"),
    _proposed("decision_refusal", ASSIGNED, why="Not so"),
    _proposed("decision_withdrawal", ALL),
    _at_desk(
        "delivery_resolution",
        lambda world, things: {
            "deed": "absent",
            "seen": Delivery.objects.get(pk=things.delivery).updated_at.isoformat(),
        },
    ),
    # What agents share.
    _at_desk("texts", lambda *_: {"title": "New", "text": "Certify it."}, RIGHTFUL),
    _at_desk("text", lambda *_: {"title": "Copy", "text": "Certify both.", "version": "1"}, RIGHTFUL),
    _at_desk("text_removal", who=RIGHTFUL),
    _at_desk("api_keys", lambda *_: {"name": "New", "days": "30", "scopes": "entities:read"}, RIGHTFUL, 200),
    _at_desk("api_key_revocation", who=RIGHTFUL),
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
    # What binds its owner.
    _of_draft("submission", _submission, (OWNER,)),
    _of_draft("removal", _submission, (OWNER,)),
    _of_draft("access", lambda *_: {"email": "new@example.com", "right": "view"}, (OWNER,)),
    _of_draft("collaborator", lambda *_: {"right": "view"}, (OWNER,)),
    _of_draft("collaborator_removal", who=(OWNER,)),
    _of_draft("invitation", lambda *_: {"email": "other@example.com"}, (OWNER,)),
    _of_draft("invitation_withdrawal", who=(OWNER,)),
    Post("portal:withdrawal", (OWNER,), lambda world: world.submitted, _submission),
    Post(
        "portal:replies",
        (OWNER, EDITOR, APPLICANT),
        lambda world: world.returned,
        lambda world, things: {f"reply:{things.sent_query}": "It is right", f"reply-was:{things.sent_query}": ""},
    ),
)
