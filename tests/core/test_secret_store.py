"""Secrets in the database: encrypted, opened by the right key alone, and made anew one at a time."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core import signing
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper

from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.models import Secret
from formation_portal.core.nodes.secret_store import StoredSecret, parse_keys
from tests.management.nodes import new_key

pytestmark = pytest.mark.django_db

NAME = StoredSecret.SIGNING_KEY
OLD, NEW = parse_keys(f"{new_key('a')} {new_key('b')}")


@pytest.fixture(autouse=True)
def _with_a_key(settings: Any, tmp_path: Path) -> Iterator[None]:
    settings.SECRETS_KEY = [OLD]
    settings.DATA_DIR = tmp_path
    yield
    secret_store._memory.clear()


def make(secret: str = "first") -> str:
    return secret_store.read_or_create(NAME, lambda: secret)


def in_another_process(*keys: str, settings: Any) -> None:
    secret_store._memory.clear()
    settings.SECRETS_KEY = list(keys)


def start() -> str:
    """Open the secrets as a start does; return what it prints."""
    output = StringIO()
    secret_store.open_secrets(OutputWrapper(output))
    return output.getvalue()


def test_a_secret_is_made_once_and_kept_encrypted_where_no_other_row_can_take_its_place(
    settings: Any, tmp_path: Path
) -> None:
    def made_meanwhile() -> str:
        Secret.objects.create(name=NAME, sealed=secret_store._seal(NAME, "first"))
        return "of another node"

    assert secret_store.read_or_create(NAME, made_meanwhile) == "first", "of two nodes both get the same"
    in_another_process(OLD, settings=settings)
    assert make("second") == secret_store.read(NAME) == "first"
    assert "first" not in Secret.objects.get().sealed
    assert list(tmp_path.iterdir()) == []
    secret_store.read_or_create(StoredSecret.AUDIT_KEY, lambda: "another")
    Secret.objects.filter(name=NAME).update(sealed=Secret.objects.get(name=StoredSecret.AUDIT_KEY).sealed)
    in_another_process(OLD, settings=settings)
    with pytest.raises(ImproperlyConfigured):
        secret_store.read(NAME)


def test_a_file_goes_before_a_new_one_and_is_taken_over_where_it_can_be_read(tmp_path: Path, settings: Any) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(IsADirectoryError):
        make()
    assert not Secret.objects.exists()
    (tmp_path / NAME).rmdir()
    (tmp_path / NAME).write_text("of the file")
    assert make() == "of the file"
    (tmp_path / NAME).unlink()
    in_another_process(OLD, settings=settings)
    assert make() == "of the file"


def test_a_key_takes_the_place_of_another_and_without_one_the_start_ends(settings: Any) -> None:
    start()
    make()
    in_another_process(NEW, OLD, settings=settings)
    assert f"Encrypted {NAME} with the first key of SECRETS_KEY\n" in start()
    for keys in ((NEW,), (OLD, NEW)):
        in_another_process(*keys, settings=settings)
        assert secret_store.read(NAME) == "first"
    in_another_process(OLD, settings=settings)
    with pytest.raises(ImproperlyConfigured, match=f"does not open {NAME} in the database"):
        secret_store.read(NAME)
    settings.SECRETS_KEY = []
    with pytest.raises(ImproperlyConfigured, match="SECRETS_KEY: is not set"):
        start()


def test_the_command_lists_no_value_and_removes_what_it_is_told_twice() -> None:
    make()
    output = StringIO()
    call_command("secrets", stdout=output)
    assert f"{NAME}: in the database, since 20" in output.getvalue()
    assert "secret-key: not made" in output.getvalue()
    assert "first" not in output.getvalue()
    with pytest.raises(CommandError, match="every subscriber of the embedded service needs a new subscription"):
        call_command("secrets", "--remove", NAME)
    assert make("second") == "first"
    call_command("secrets", "--remove", NAME, "--yes", stdout=output)
    assert make("second") == "second"


@pytest.mark.parametrize("keys", ["short", "a" * 44, new_key("a") + " x", new_key("a")[:-4]])
def test_a_key_is_32_random_bytes_and_is_not_repeated(keys: str) -> None:
    with pytest.raises(ValueError, match="32 random bytes") as error:
        parse_keys(keys)
    assert keys not in str(error.value)


def test_the_services_key_is_read_once_and_needs_no_database_later(django_assert_num_queries: Any) -> None:
    name = StoredSecret.SERVICE_KEY
    assert secret_store.read_once(name) == ""
    secret_store.read_or_create(name, lambda: "sk_live_1")
    secret_store._memory.clear()
    assert secret_store.read_once(name) == "sk_live_1"
    with django_assert_num_queries(0):
        assert secret_store.read_once(name) == "sk_live_1"


def test_the_start_puts_the_key_that_signs_into_the_settings_and_one_of_the_environment_before_it(
    settings: Any,
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"secret_key": "", "audit_key": ""})
    settings.SECRET_KEY = settings.AUDIT_KEY = ""
    start()
    signed = signing.dumps("a session")
    assert type(settings.SECRET_KEY) is str
    assert settings.SECRET_KEY == secret_store.read(StoredSecret.SECRET_KEY) != ""
    assert secret_store.audit_key() == secret_store.read(StoredSecret.AUDIT_KEY) != settings.SECRET_KEY
    settings.SECRET_KEY = ""
    in_another_process(NEW, settings=settings)
    secret_store.load_secret_key()
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY"):
        signing.dumps("by a command that cannot open the secrets")
    in_another_process(OLD, settings=settings)
    secret_store.load_secret_key()
    assert signing.loads(signed) == "a session"
    settings.ENV = settings.ENV.model_copy(update={"secret_key": "of-the-environment"})
    settings.SECRET_KEY, settings.AUDIT_KEY = "of-the-environment", "attests-by-the-environment"
    start()
    secret_store.load_secret_key()
    assert settings.SECRET_KEY == "of-the-environment"
    assert secret_store.audit_key() == "attests-by-the-environment"
