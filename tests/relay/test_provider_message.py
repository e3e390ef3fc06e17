"""What the provider reads of a delivery that only its people can settle: the call, and what they are asked."""

import pytest

from formation_portal.relay.models import Delivery, Reason
from formation_portal.relay.provider_message import _questions, call_words


@pytest.mark.parametrize(
    ("kind", "reason", "first"),
    [
        ("entity", Reason.UNCLEAR, "1. Did any of these calls create a record? If so, what is its ID?"),
        ("entity", Reason.AMBIGUOUS, "1. Did any of these calls create a record? If so, what is its ID?"),
        ("entity", Reason.DUPLICATE, "1. Which records did these calls create? What are their IDs?"),
        ("entity", Reason.UNSUPPORTED, "1. We have no call for this. Can you make the change on your side?"),
        ("entity", "not_found", "1. What is its status on your side?"),
        ("status", Reason.UNCLEAR, "1. What is the entity’s status on your side, and since when?"),
        ("status", Reason.STATE_CONFLICT, "1. What is the entity’s status on your side, and since when?"),
        ("status", Reason.UNSUPPORTED, "1. We have no call for this. Can you make the change on your side?"),
        ("submission", "not_found", "1. What is its status on your side?"),
    ],
)
def test_the_provider_is_asked_what_would_settle_it(kind: str, reason: str, first: str) -> None:
    assert _questions(Delivery(kind=kind, reason=reason))[0] == first


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("entity", "entities"),
        ("entity_csp", "entities/{id}/csp-data"),
        ("share_class", "entities/{id}/share-classes"),
        ("share_class_csp", "entities/{id}/csp-data"),
        ("party", "entities/{id}/parties"),
        ("party_csp", "entities/{id}/csp-data"),
        ("document", "entities/{id}/documents"),
        ("shareholding", "entities/{id}/shareholdings"),
        ("submission", "entities/{id}/submit"),
        ("status", "entities/{id}/status"),
    ],
)
def test_the_provider_reads_the_call_as_the_interface_has_it(kind: str, path: str) -> None:
    assert call_words(Delivery(kind=kind, wanted={})) == f"POST /api/v1/{path}"
    there = Delivery(kind=kind, wanted={"a": 1}, acknowledged={"a": 2}, remote_id="x_1")
    is_posted = kind.endswith("_csp") or kind in ("document", "submission", "status")
    assert call_words(there) == (f"POST /api/v1/{path}" if is_posted else f"PATCH /api/v1/{path}/x_1")
    gone = Delivery(kind=kind, wanted=None, acknowledged={"a": 2}, remote_id="x_1")
    assert call_words(gone) == (f"POST /api/v1/{path}" if kind.endswith("_csp") else f"DELETE /api/v1/{path}/x_1")
