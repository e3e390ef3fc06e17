"""What stops a change of a review is answered; everything else goes on as an error."""

from typing import Any

import pytest
from django.test import RequestFactory

from formation_portal.applications.draft import Draft
from formation_portal.desk.changes_since import ReviewErrors
from formation_portal.reviews.transactions import ClaimedByColleague, NotApprovable, ReviewRefused

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def errors(submitted: Draft, agent: Any, rf: RequestFactory) -> ReviewErrors:
    """Of a post in which an agent wrote a note."""
    request = rf.post("/", {"note": "Called the bank"})
    request.user = agent
    reference = submitted.application.reference
    return ReviewErrors(request, reference, title="Your note was not saved", typed=[("Your note", "Called the bank")])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "status"), [(ReviewRefused("Enter a note."), 422), (ClaimedByColleague("Tomasz Brandt"), 409)]
)
def test_a_page_says_why_and_keeps_what_was_typed(errors: ReviewErrors, error: Exception, status: int) -> None:
    with errors:
        raise error
    assert errors.response is not None
    assert errors.response.status_code == status
    text = errors.response.content.decode()
    for words in ("Your note was not saved", str(error), "Called the bank"):
        assert words in text


def test_nothing_is_answered_where_nothing_was_in_the_way(errors: ReviewErrors) -> None:
    with errors:
        pass
    assert errors.response is None


@pytest.mark.parametrize("error", [ValueError("A mistake of ours"), NotApprovable([])])
def test_an_error_that_no_page_is_for_goes_on(errors: ReviewErrors, error: Exception) -> None:
    with pytest.raises(type(error)), errors:
        raise error
