"""The addresses of the URLconf by name, and each of them filled with the keys of the world."""

from collections.abc import Iterator
from typing import Any

from django.urls import URLResolver, get_resolver, reverse

from tests.access.world import Things, World

# Pages of an application that is not a draft.
STATE_OF_PAGE = {"status": "submitted", "status_news": "submitted", "withdrawal": "submitted", "replies": "returned"}
NO_LETTER = "00000000-0000-0000-0000-000000000000"


def registered() -> dict[str, tuple[str, ...]]:
    """Return the name of every address but the service's, with the names of its parts."""
    return dict(_walk(get_resolver(), "", (), "/"))


def _walk(resolver: URLResolver, space: str, parts: tuple[str, ...], prefix: str) -> Iterator[Any]:
    for entry in resolver.url_patterns:
        route = prefix + str(entry.pattern)
        own_parts = (*parts, *entry.pattern.converters, *entry.pattern.regex.groupindex)
        if route.startswith("/api/"):
            continue
        if isinstance(entry, URLResolver):
            yield from _walk(entry, f"{space}{entry.namespace}:" if entry.namespace else space, own_parts, route)
        else:
            yield f"{space}{entry.name}", tuple(dict.fromkeys(own_parts))


PARTS = registered()


def state_of(name: str) -> str:
    space, _, page = name.rpartition(":")
    return "submitted" if space == "desk" else STATE_OF_PAGE.get(page, "draft")


def address(world: World, name: str, things: Things | None = None, *, reference: str = "") -> str:
    """Return the path of an address about some application's things, by default the owner's."""
    things = things or world.own[state_of(name)]
    page = name.rpartition(":")[2]
    is_part = page == "part" or (page.startswith("part_") and page != "part_link")
    values = {
        "reference": reference or (things.part if is_part else things.reference),
        "token": _token(page, things),
        "party": things.token,
        "share_class": things.share_class,
        "number": _number(page, things, world),
        "page": 1,
        "key": "example" if page in ("product", "checklist") else "the-company",
        "name": "open",
        "kind": "code",
        "code": "pep",
    }
    return reverse(name, kwargs={part: values[part] for part in PARTS[name]})


def _number(page: str, things: Things, world: World) -> int | str:
    numbers: dict[str, int | str] = {
        "choice_restoration": things.change,
        "collaborator": things.collaborator,
        "collaborator_removal": things.collaborator,
        "query_removal": things.draft_query,
        "query_resolution": things.sent_query,
        "note_removal": things.note,
        "screening_file": things.screening,
        "screening_removal": things.screening,
        "delivery": things.delivery,
        "delivery_resolution": things.delivery,
        "audit_entry": world.entry,
        "text": world.text,
        "text_removal": world.text,
        "api_key_revocation": world.key,
        "letter": NO_LETTER,
        "letter_body": NO_LETTER,
    }
    return numbers.get(page, things.document)


def _token(page: str, things: Things) -> str:
    tokens = {
        "share_class": things.share_class,
        "share_class_removal": things.share_class,
        "party_import": things.sheet,
        "party_import_removal": things.sheet,
        "party_restoration": things.removed,
    }
    return tokens.get(page, things.token)
