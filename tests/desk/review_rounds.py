"""Rounds of a review for the desk's tests: everything accepted, returned, changed by its customer, and back again."""

from collections.abc import Callable
from typing import Any

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.reviews.checks import accept
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.reviews.deciding import decide


def ask_at(draft: Draft, target: Target, agent: Any, text: str = "Look at this") -> None:
    there = factories.again(draft)
    draft_query(there, target, text=text, by=agent, version=current_version(there.application))


def accept_at(draft: Draft, *targets: Target, by: Any) -> None:
    there = factories.again(draft)
    accept(there, targets, by=by, version=current_version(there.application))


def return_it(draft: Draft, agent: Any) -> None:
    there = factories.again(draft)
    decide(there, RETURN, text="Look at it again", by=agent, version=current_version(there.application))
    draft.application.refresh_from_db()
    draft.reload()


def again(draft: Draft, agent: Any, owner: Any, change: Callable[[Draft], object] = lambda draft: None) -> Draft:
    """Return it, let its customer change something, and hand it in again."""
    return_it(draft, agent)
    change(factories.again(draft))
    services.submit(factories.again(draft), by=owner)
    return factories.again(draft)


def rename(draft: Draft, name: str, owner: Any) -> None:
    factories.save_section(draft, "the-company", {"entity.name": name}, by=owner)


def change_ada(draft: Draft, owner: Any, answers: dict[str, str], **more: Any) -> None:
    there = factories.again(draft)
    ada = there.party("ada")
    assert ada is not None
    services.save_party(there, ada, {**ada.raw, **answers}, version=ada.version, by=owner, **more)


def replace_passport(draft: Draft, owner: Any, content: bytes = factories.PDF + b"2") -> None:
    there = factories.again(draft)
    upload = factories.upload(content, "new.pdf")
    services.add_document(there, there.party("ada"), "Passport", upload, by=owner)


def add_bob(draft: Draft, owner: Any) -> None:
    services.add_party(
        draft, "person", ["director"], factories.ADA | {"person.first_name": "Bob"}, by=owner, token="bob"
    )
    services.add_document(draft, draft.party("bob"), "Passport", factories.upload(name="bob.pdf"), by=owner)
