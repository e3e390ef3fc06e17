"""Settings come from the environment, and a wrong one says what is wrong with it."""

import pytest

from formation_portal.environment import Environment, read_environment


def test_a_setting_is_read_with_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "9000")
    monkeypatch.setenv("DEMO", "false")
    environment = read_environment()
    assert (environment.port, environment.demo) == (9000, False)


def test_a_wrong_setting_stops_the_start_with_its_name_and_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READ_TIMEOUT", "a-secret-put-in-the-wrong-place")
    with pytest.raises(SystemExit) as stop:
        read_environment()
    assert "READ_TIMEOUT" in str(stop.value)
    assert "secret" not in str(stop.value)


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Environment.model_fields.values())
