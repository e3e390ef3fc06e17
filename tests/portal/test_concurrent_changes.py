"""What somebody changed between the view's lookup and its write is reported, and is no error page."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.markup import Markup
from tests.portal.pages import root

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def just_before(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], object]], None]:
    """Have something done once, just before the write of that name."""

    def arrange(write: str, action: Callable[[], object]) -> None:
        original = getattr(services, write)

        def after_it(*args: Any, **kwargs: Any) -> Any:
            monkeypatch.setattr(services, write, original)
            action()
            return original(*args, **kwargs)

        monkeypatch.setattr(services, write, after_it)

    return arrange


@pytest.mark.parametrize("write", ["set_roles", "add_document"])
def test_somebody_who_was_removed_is_reported(
    draft: Draft, owner: Any, as_owner: Client, just_before: Any, write: str
) -> None:
    ada = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    just_before(write, lambda: services.remove_party(factories.again(draft), ada, by=owner))
    if write == "add_document":
        post = {"slot": f"{ada.token}/Passport", "file": factories.upload()}
        assert as_owner.post(f"{root(draft)}documents/", post).status_code == 404
        assert not factories.again(draft).documents
        return
    response = as_owner.post(f"{root(draft)}people/{ada.token}/roles/", {"role": "shareholder"}, follow=True)
    assert response.status_code == 200
    message = Markup(response.content.decode()).one("div", id="messages").text
    assert "This person or company was removed." in message


def test_an_application_that_was_submitted_is_reported_and_keeps_what_was_chosen(
    complete: Draft, owner: Any, as_owner: Client, just_before: Any
) -> None:
    just_before("add_party", lambda: services.submit(factories.again(complete), by=owner, declaration="I declare it."))
    post = {"kind": "person", "roles": ["", "director"]}
    response = as_owner.post(f"{root(complete)}people/new/", post)
    assert response.status_code == 409
    page = Markup(response.content.decode())
    assert "can’t be changed" in page.one("div", id="messages").text
    assert "checked" in page.one("input", name="roles", value="director").attributes
    assert len(factories.again(complete).parties) == len(complete.parties)
