"""Factors where agents need one, and what is told of them where it can't be noted."""

from typing import Any

import pytest
from allauth.core.context import request_context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.test import RequestFactory

from formation_portal.accounts import second_factor
from formation_portal.mail.models import Email
from tests.accounts.people import add_app, person

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("is_agent", "may_remove"), [(True, False), (False, True)])
def test_the_last_factor_may_go_where_none_is_needed(settings: Any, is_agent: bool, may_remove: bool) -> None:
    settings.AGENT_SECOND_FACTOR = True
    user = person(is_agent=is_agent)
    add_app(user)
    app = Authenticator.objects.get(user=user, type=Authenticator.Type.TOTP)
    assert get_adapter().can_delete_authenticator(app) is may_remove


def test_nothing_is_told_that_the_audit_log_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("the disk is full")

    user = person()
    request = RequestFactory().get("/")
    with request_context(request):
        second_factor.report(request, user, "recovery_codes_shown")
        assert Email.objects.count() == 1
        monkeypatch.setattr(second_factor.chain, "append", fail)
        with pytest.raises(OSError, match="disk"):
            second_factor.report(request, user, "recovery_codes_shown")
    assert Email.objects.count() == 1
