"""The forms of a review arrive twice, as by a proxy that has lost the first answer: what they do is done once. They are
those that deploy/nginx.conf repeats below /desk/."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.desk.models import Case
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.models import Check, Note, Query, ReviewDecision
from formation_portal.reviews.targets import Target
from tests import factories

from .decision_setup import POINTER, documents_of, page_version, path, state

BIRTH = str(Target.of_field("ada", "person.date_of_birth"))
NGINX = Path(__file__).resolve().parents[2] / "deploy/nginx.conf"
# A search, which is repeated too, changes nothing.
_FOUND = re.search(r"\^/desk/\(\$\|\[\^/\]\+/\((.+?)\)/\)", NGINX.read_text())
assert _FOUND
REPEATED = [f"{one}/" for one in _FOUND[1].split("|")]


def posted(draft: Draft, place: str, agent: Any) -> dict[str, Any]:
    if place == "release/":
        Case.objects.filter(pk=draft.application.pk).update(claimed_by=agent, claimed_at=draft.application.submitted_at)
    if place in ("reopenings/", "ruling/"):
        factories.accept_everything(draft, agent)
    forms: dict[str, dict[str, Any]] = {
        "claim/": {},
        "release/": {},
        "acceptances/": {"place": BIRTH},
        "reopenings/": {"place": BIRTH},
        "remarks/": {"place": BIRTH, "text": "Is it 1984?", "note": "See the scan"},
        "notes/": {"place": BIRTH, "note": "See the scan"},
        "ruling/": POINTER | {"decision": "approve", "unseen": documents_of(draft)},
    }
    return forms[place]


def kept(draft: Draft) -> dict[str, Any]:
    case = Case.objects.get(pk=draft.application.pk)
    return {
        "state": state(draft),
        "claimed": case.claimed_by_id,
        "facts": sum(fact.is_done for fact in load_checklist(draft)),
        # A claim that is made again lasts longer, which the audit says.
        "audit": Entry.objects.exclude(action=AuditAction.CLAIM).count(),
        **{model.__name__: model.objects.count() for model in (Check, Query, Note, ReviewDecision)},
    }


@pytest.mark.parametrize("place", REPEATED)
def test_what_arrives_twice_is_done_once(submitted: Draft, agent: Any, as_agent: Client, place: str) -> None:
    form = posted(submitted, place, agent)
    before = kept(submitted)
    form["sight"] = page_version(as_agent, submitted, "ruling/")
    first = as_agent.post(path(submitted, place), form)
    assert first.status_code == 302, first.content.decode()[-3000:]
    once = kept(submitted)
    assert once != before
    second = as_agent.post(path(submitted, place), form)
    assert second.status_code < 500
    assert kept(submitted) == once
