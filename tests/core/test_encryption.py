"""The key ring: what one key has encrypted another of the ring reads, and nobody without it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.core import encryption
from formation_portal.core.encryption import UnreadableError, new_key
from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret

ONE, OTHER = new_key(), new_key()


@pytest.fixture(autouse=True)
def keys(settings: object) -> object:
    """Tests put keys of their own into the ring."""
    settings.FIELD_KEYS = [ONE]  # type: ignore[attr-defined]
    encryption.read_ring_again()
    yield settings
    encryption._ring = None


def use(settings: object, *keys: str) -> None:
    settings.FIELD_KEYS = [*keys]  # type: ignore[attr-defined]
    encryption.read_ring_again()


def test_what_an_earlier_key_has_encrypted_is_read_by_a_ring_that_has_it_and_by_no_other(keys: object) -> None:
    text, file = encryption.encrypt(b"Ada", "a"), encryption.encrypt_file(b"Ada", "name")
    digest = encryption.key_ring().first.digest("ada")
    assert digest == encryption.key_ring().first.digest("ada") != encryption.key_ring().first.digest("adb")
    use(keys, OTHER, ONE)
    assert encryption.decrypt(text, "a") == b"Ada"
    assert encryption.decrypt_file(file, "name") == b"Ada"
    assert not encryption.file_has_newest_key(file)
    assert encryption.encrypt(b"Ada", "a").partition(":")[0] != text.partition(":")[0]
    use(keys, OTHER)
    with pytest.raises(UnreadableError):
        encryption.decrypt(text, "a")
    with pytest.raises(UnreadableError):
        encryption.decrypt_file(file, "name")
    assert encryption.key_ring().first.digest("ada") != digest


def test_a_process_that_meets_a_newer_key_reads_the_ring_again(keys: object) -> None:
    """As one that runs while another process puts a key before the others."""
    stale = encryption.key_ring()
    use(keys, OTHER, ONE)
    text = encryption.encrypt(b"Ada", "a")
    encryption._ring = stale
    assert encryption.decrypt(text, "a") == b"Ada"


@pytest.mark.django_db
def test_a_key_that_another_node_has_put_first_is_read_from_the_database(keys: object) -> None:
    keys.FIELD_KEYS, keys.SECRETS_KEY = [], [new_key()]  # type: ignore[attr-defined]
    encryption.read_ring_again()
    remembered = dict(secret_store._memory)
    secret_store.replace(StoredSecret.FIELD_KEYS, f"{OTHER} {ONE}")
    # The other node's process has its own memory.
    secret_store._memory.update(remembered)
    encryption.read_ring_again()
    assert list(encryption.key_ring().by_id) == [encryption.Key(OTHER).id, encryption.Key(ONE).id]


@pytest.mark.parametrize("context", ["b", "", "a\x1f"])
def test_what_is_bound_to_one_place_is_not_read_in_another(context: str) -> None:
    with pytest.raises(UnreadableError):
        encryption.decrypt(encryption.encrypt(b"Ada", "a"), context)
    with pytest.raises(UnreadableError):
        encryption.decrypt_file(encryption.encrypt_file(b"Ada", "a"), context)


@given(st.text(st.characters(exclude_categories=())), st.binary(max_size=200))
def test_whatever_else_a_column_or_a_damaged_file_holds_is_unreadable_and_no_fault(text: str, rest: bytes) -> None:
    with pytest.raises(UnreadableError):
        encryption.decrypt(text, "a")
    with pytest.raises(UnreadableError):
        encryption.decrypt_file(encryption.FILE_MARK + rest, "name")
    assert encryption.decrypt_file(b"%PDF-1.4", "name") == b"%PDF-1.4", "a file from before is read as it is"
