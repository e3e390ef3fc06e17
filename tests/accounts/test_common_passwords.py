"""A password that many have is none, wherever it is chosen."""

from typing import Any

import pytest
from django.contrib.auth.password_validation import ValidationError, validate_password
from django.test import Client

pytestmark = pytest.mark.django_db


# Of Django's list of 20,000; all of them long enough.
@pytest.mark.parametrize("password", ["1qaz2wsx3edc", "qwertyuiop123"])
def test_a_common_password_opens_no_account(password: str, django_user_model: Any) -> None:
    new = {"email": "new@example.com", "first_name": "Ada", "last_name": "Lund", "password1": password}
    answer = Client().post("/accounts/signup/", new)
    assert answer.status_code == 200
    assert "too common" in answer.content.decode()
    assert not django_user_model.objects.exists()


def test_a_password_of_ones_own_is_taken() -> None:
    validate_password("a-long-password-of-her-own")
    with pytest.raises(ValidationError):
        validate_password("short-1")
