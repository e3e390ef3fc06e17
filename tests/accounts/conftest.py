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
