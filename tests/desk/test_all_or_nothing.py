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

NAME = Target.of_field("ada", "person.first_name")


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


def test_a_key_is_made_and_revoked_whole_or_not_at_all(agent: Any) -> None:
    row, _ = make_key(by=agent, scopes=["entities:read"], name="Reporting")
    for act in (lambda: make_key(by=agent, scopes=["entities:read"], name="Other"), lambda: revoke(row.pk, by=agent)):
        assert {"service_apikey", "audit_entry"} <= set(assert_all_or_nothing(act))
