"""Documents are listed in the order in which they came."""

import pytest

from tests.service.caller import Caller
from tests.service.routes.test_documents import passport_of, upload

pytestmark = pytest.mark.django_db(databases=["service"])


def test_the_oldest_comes_first_whoever_it_is_of(caller: Caller, entity: str) -> None:
    mine, theirs = caller.person(entity, "director"), caller.person(entity, "director")
    for name, form in (("1.pdf", passport_of(theirs)), ("2.pdf", {}), ("3.pdf", passport_of(mine))):
        assert upload(caller, entity, name=name, **form).status_code == 201
    listed = caller.get(f"/entities/{entity}/documents").json()["data"]
    assert [document["name"] for document in listed] == ["1.pdf", "2.pdf", "3.pdf"]
