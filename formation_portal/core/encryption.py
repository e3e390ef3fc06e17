"""Encrypt personal data with AES-256-GCM before it reaches a database or a disk. The newest key of the key ring
encrypts. Encrypted data is bound to a context, such as its model, row and column."""

import binascii
import hashlib
import hmac
import os
import secrets
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from .nodes import secret_store
from .nodes.secret_store import StoredSecret

_KEY_BYTES = 32
_NONCE_BYTES = 12
_TAG_BYTES = 16
_ID_BYTES = 4
# The mark at the beginning of an encrypted file.
FILE_MARK = b"\x00FPE1"
FILE_HEAD_BYTES = len(FILE_MARK) + _ID_BYTES


class UnreadableError(Exception):
    """Stored data that can't be decrypted: its key is missing, or it was altered or moved to another place."""


class Key:
    """A key of the ring, with a cipher for fields and another for files."""

    def __init__(self, text: str) -> None:
        key = b64decode(text, altchars=b"-_", validate=True)
        self.raw_id = hashlib.sha256(b"id" + key).digest()[:_ID_BYTES]
        self.id = self.raw_id.hex()
        self.fields = AESGCM(hmac.digest(key, b"fields", "sha256"))
        self.files = AESGCM(hmac.digest(key, b"files", "sha256"))
        self._words = hmac.digest(key, b"words", "sha256")

    def digest(self, text: str) -> bytes:
        """Return a digest for comparing texts. Without the key nobody can find the text by guessing."""
        return hmac.digest(self._words, text.encode("utf-8", "surrogatepass"), "sha256")


class KeyRing:
    """The keys that can decrypt, by their ids. The first key encrypts."""

    def __init__(self, text: str) -> None:
        self.text = text
        keys = [Key(key_text) for key_text in text.split()]
        self.first = keys[0]
        self.by_id = {key.id: key for key in keys}

    def __iter__(self) -> Iterator[Key]:
        return iter(self.by_id.values())


_ring: KeyRing | None = None
# The longest time until a process uses a new key.
READ_AGAIN_SECONDS = 30.0
_read_at = 0.0


def new_key() -> str:
    return b64encode(secrets.token_bytes(_KEY_BYTES), altchars=b"-_").decode()


def key_ring() -> KeyRing:
    """Return the key ring, which this process reads again from time to time."""
    return _ring or read_ring_again()


def read_ring_again() -> KeyRing:
    global _ring, _read_at
    secret_store.forget(StoredSecret.FIELD_KEYS)
    text = " ".join(settings.FIELD_KEYS) or secret_store.read_or_create(StoredSecret.FIELD_KEYS, new_key)
    if _ring is None or _ring.text != text:
        _ring = KeyRing(text)
    _read_at = time.monotonic()
    return _ring


def _newest_key() -> Key:
    if time.monotonic() - _read_at > READ_AGAIN_SECONDS and not settings.FIELD_KEYS:
        return read_ring_again().first
    return key_ring().first


def _key(key_id: str) -> Key:
    key = key_ring().by_id.get(key_id) or read_ring_again().by_id.get(key_id)
    if key is None:
        raise UnreadableError(f"No key {key_id} in the ring")
    return key


def encrypt(content: bytes, context: str) -> str:
    """Return the encrypted content for a text column: the key's id, a colon, and nonce and ciphertext in base64."""
    key = _newest_key()
    nonce = os.urandom(_NONCE_BYTES)
    sealed = nonce + key.fields.encrypt(nonce, content, context.encode())
    return f"{key.id}:{binascii.b2a_base64(sealed, newline=False).decode()}"


def decrypt(text: str, context: str) -> bytes:
    """Decrypt a text that was encrypted in this context. Raises UnreadableError."""
    key_id, _, rest = text.partition(":")
    try:
        sealed = binascii.a2b_base64(rest)
        return _key(key_id).fields.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], context.encode())
    except (InvalidTag, ValueError) as error:
        raise UnreadableError(f"Does not belong to {context}, or was altered") from error


def characters_within(length: int) -> int:
    """Estimate how many plain bytes an encrypted text of this length holds. At most two are too many or too few."""
    return max(0, (length - 2 * _ID_BYTES - 1) * 3 // 4 - _NONCE_BYTES - _TAG_BYTES)


def encrypt_file(content: bytes, name: str) -> bytes:
    """Return encrypted content for a file: FILE_MARK, the key's id, nonce and ciphertext, bound to the file's name."""
    key = _newest_key()
    nonce = os.urandom(_NONCE_BYTES)
    return FILE_MARK + key.raw_id + nonce + key.files.encrypt(nonce, content, name.encode())


def decrypt_file(stored: bytes, name: str) -> bytes:
    """Decrypt a file's content. Without FILE_MARK it is not encrypted and returned as it is. Raises UnreadableError."""
    if not stored.startswith(FILE_MARK):
        return stored
    key_id = stored[len(FILE_MARK) : FILE_HEAD_BYTES]
    sealed = stored[FILE_HEAD_BYTES:]
    try:
        return _key(key_id.hex()).files.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], name.encode())
    except (InvalidTag, ValueError) as error:
        raise UnreadableError(f"The file {name} was altered, or belongs elsewhere") from error


def has_newest_key(text: str) -> bool:
    return text.startswith(f"{key_ring().first.id}:")


def file_has_newest_key(stored: bytes) -> bool:
    return stored.startswith(FILE_MARK + key_ring().first.raw_id)
