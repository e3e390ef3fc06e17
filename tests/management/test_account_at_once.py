"""`manage.py account` while the account's holder changes something, on PostgreSQL."""

from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import call_command
from django.db import transaction

from formation_portal.accounts.models import User
from tests.accounts.people import EMAIL, add_app, person
from tests.two_connections import at_once, postgresql_only

pytestmark = [pytest.mark.django_db(databases=["default", "service"], transaction=True), postgresql_only]


def test_a_factor_that_is_added_meanwhile_is_forgotten_too() -> None:
    user = person()

    def add() -> None:
        """As the page does, which locks the account first."""
        with transaction.atomic():
            add_app(User.objects.select_for_update().get(pk=user.pk))

    added, forgotten = at_once(add, lambda: call_command("account", "forget-second-factor", EMAIL, stdout=StringIO()))
    assert (added.error, forgotten.error) == (None, None)
    assert forgotten.has_waited
    assert not Authenticator.objects.exists()
