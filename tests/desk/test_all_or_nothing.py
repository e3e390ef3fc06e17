"""What an agent does is written whole or not at all."""

from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.desk.api_keys.keys import make_key, revoke
from formation_portal.desk.case.forms import QueryForm
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.reviews.checks import accept
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.atomic_writes import assert_all_or_nothing

pytestmark = pytest.mark.django_db(databases=["default", "service"], transaction=True)

NAME = Target.parse("field:ada:person.first_name")


def test_claiming(submitted: Draft, agent: Any) -> None:
    written = set(assert_all_or_nothing(lambda: claims.claim([submitted.application.pk], by=agent)))
    assert {"desk_case", "applications_application", "applications_change", "audit_entry"} <= written


def test_taking_over(submitted: Draft, agent: Any, colleague: Any) -> None:
    claims.claim([submitted.application.pk], by=agent)

    def take_over() -> None:
        case = Case.objects.select_related("claimed_by", "application").get(pk=submitted.application.pk)
        assert claims.take_over(case, by=colleague, reason="Illness")

    assert {"desk_case", "letters_letter", "audit_entry"} <= set(assert_all_or_nothing(take_over))


def test_assigning(submitted: Draft, agent: Any, colleague: Any) -> None:
    number = submitted.application.pk
    written = set(assert_all_or_nothing(lambda: claims.assign({number: ""}, to=colleague, by=agent)))
    assert {"desk_case", "applications_application", "audit_entry"} <= written


def test_releasing(submitted: Draft, agent: Any) -> None:
    claims.claim([submitted.application.pk], by=agent)
    written = set(assert_all_or_nothing(lambda: claims.release([submitted.application.pk], by=agent)))
    assert {"desk_case", "audit_entry"} <= written


def test_a_query_with_a_note(submitted: Draft, agent: Any) -> None:
    assert NAME is not None

    def ask() -> None:
        draft = factories.again(submitted)
        form = QueryForm(NAME, data={"text": "Is it spelt so?", "note": "Her passport says otherwise"})
        form.store(draft, by=agent, version=current_version(draft.application))

    written = set(assert_all_or_nothing(ask))
    assert {"reviews_remark", "reviews_note", "audit_entry"} <= written


def test_accepting(submitted: Draft, agent: Any) -> None:
    assert NAME is not None

    def accept_name() -> None:
        draft = factories.again(submitted)
        accept(draft, [NAME], by=agent, version=current_version(draft.application))

    assert {"reviews_check", "desk_case", "audit_entry"} <= set(assert_all_or_nothing(accept_name))


def test_making_a_key(agent: Any) -> None:
    written = set(assert_all_or_nothing(lambda: make_key(by=agent, scopes=["entities:read"], name="Reporting")))
    assert {"service_apikey", "audit_entry"} <= written


def test_revoking_a_key(agent: Any) -> None:
    row, _ = make_key(by=agent, scopes=["entities:read"], name="Reporting")
    written = assert_all_or_nothing(lambda: revoke(row.pk, by=agent))
    assert {"service_apikey", "audit_entry"} <= set(written)
