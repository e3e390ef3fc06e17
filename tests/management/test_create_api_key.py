"""`manage.py create_api_key` for so many days."""

import pytest
from django.core.management import call_command
from django.utils import timezone

from formation_portal.service.models import ApiKey

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.mark.parametrize("days", [1, 30, 3_650])
def test_a_key_lasts_as_many_days_as_were_asked_for(days: int, capsys: pytest.CaptureFixture[str]) -> None:
    before = timezone.now()
    call_command("create_api_key", "--scopes", "all", "--days", str(days))
    assert capsys.readouterr().out.startswith("sk_test_")
    expires_at = ApiKey.objects.get().expires_at
    assert expires_at is not None
    assert (expires_at - before).days == days
