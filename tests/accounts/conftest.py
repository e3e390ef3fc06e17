"""What several tests of accounts arrange."""

from typing import Any

import pytest
from django.contrib.auth import hashers


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passwords that were hashed, in their order."""
    passwords: list[str] = []
    encode = hashers.MD5PasswordHasher.encode

    def note(self: Any, password: str, salt: str) -> str:
        passwords.append(password)
        return str(encode(self, password, salt))

    monkeypatch.setattr(hashers.MD5PasswordHasher, "encode", note)
    return passwords


@pytest.fixture
def agents_need_a_factor(settings: Any) -> None:
    """As outside the demo."""
    settings.AGENT_SECOND_FACTOR = True


@pytest.fixture
def codes_by_email(settings: Any) -> None:
    """As outside the demo: an address is confirmed by the code of an e-mail."""
    settings.DEMO, settings.LETTERS_GO_OUT = False, True
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
