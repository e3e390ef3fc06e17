"""An entity that waits for the provider, or is closed, stays as it is."""

from typing import Any

import pytest

from formation_portal.contract.lifecycle import State
from formation_portal.service.models import Entity
from tests import factories
from tests.service.caller import Caller, ordinary, problem

pytestmark = pytest.mark.django_db(databases=["service"])


@pytest.mark.parametrize(
    "state", [State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW, State.SUBMITTED_TO_CSP, State.INCORPORATED, State.WITHDRAWN]
)
def test_nothing_of_a_closed_entity_is_added_changed_or_removed(caller: Caller, entity: str, state: State) -> None:
    party, share_class = caller.person(entity, "shareholder"), caller.share_class(entity)
    other = caller.share_class(entity, "Preferred")
    path, plan = f"/entities/{entity}", "Business plan"
    document: Any = caller.upload(f"{path}/documents", file=factories.upload(), document_key=plan)
    holding = {"party_id": party, "share_class_id": share_class, "shares_held": 1}
    held = f"{path}/shareholdings/{caller.holding(entity, party, share_class)}"
    person = {"party_type": "person", "first_name": "Ada", "last_name": "Byron", "roles": ["director"]}
    Entity.objects.filter(id=entity).update(status=state)
    for answer in (
        caller.patch(path, {"name": "Other"}),
        caller.answers(entity, activity="Trading"),
        caller.post(f"{path}/parties", person),
        caller.patch(f"{path}/parties/{party}", {"last_name": "L"}),
        caller.delete(f"{path}/parties/{party}"),
        caller.post(f"{path}/share-classes", ordinary("Third")),
        caller.patch(f"{path}/share-classes/{share_class}", {"name": "Third"}),
        caller.delete(f"{path}/share-classes/{other}"),
        caller.post(f"{path}/shareholdings", holding | {"share_class_id": other}),
        caller.patch(held, {"shares_held": 2}),
        caller.delete(held),
        caller.upload(f"{path}/documents", file=factories.upload(), document_key=plan),
        caller.delete(f"{path}/documents/{document.json()['data']['id']}"),
    ):
        problem(answer, 409, "invalid_state")
