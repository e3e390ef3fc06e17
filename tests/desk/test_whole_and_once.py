"""What an agent does is written whole and once, also where a proxy that has lost the first answer repeats the form."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.desk.api_keys.keys import make_key, revoke
from formation_portal.desk.case.forms import QueryForm
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept
from formation_portal.reviews.models import Check, Note, Query, ReviewDecision
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.atomic_writes import assert_all_or_nothing

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


NAME = Target.of_field("ada", "person.first_name")


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_a_claim_is_written_whole_or_not_at_all(submitted: Draft, agent: Any, colleague: Any) -> None:
    number = submitted.application.pk

    def take_over() -> None:
        case = Case.objects.select_related("claimed_by", "application").get(pk=number)
        assert claims.take_over(case, by=colleague, reason="Illness")

    case, letter, application = "desk_case", "letters_letter", "applications_application"
    for act, tables in (
        (lambda: claims.claim([number], by=agent), {case, application, "applications_change"}),
        (take_over, {case, letter}),
        (lambda: claims.release([number], by=colleague), {case}),
        (lambda: claims.assign({number: ""}, to=colleague, by=agent), {case}),
    ):
        assert tables | {"audit_entry"} <= set(assert_all_or_nothing(act))
        act()


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_a_review_is_written_whole_or_not_at_all(submitted: Draft, agent: Any) -> None:
    def ask() -> None:
        draft = factories.again(submitted)
        form = QueryForm(NAME, data={"text": "Is it spelt so?", "note": "Her passport says otherwise"})
        form.store(draft, by=agent, version=current_version(draft.application))

    def accept_name() -> None:
        draft = factories.again(submitted)
        accept(draft, [NAME], by=agent, version=current_version(draft.application))

    assert {"reviews_remark", "reviews_note", "audit_entry"} <= set(assert_all_or_nothing(ask))
    assert {"reviews_check", "desk_case", "audit_entry"} <= set(assert_all_or_nothing(accept_name))


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_a_key_is_made_and_revoked_whole_or_not_at_all(agent: Any) -> None:
    row, _ = make_key(by=agent, scopes=["entities:read"], name="Reporting")
    for act in (lambda: make_key(by=agent, scopes=["entities:read"], name="Other"), lambda: revoke(row.pk, by=agent)):
        assert {"service_apikey", "audit_entry"} <= set(assert_all_or_nothing(act))
