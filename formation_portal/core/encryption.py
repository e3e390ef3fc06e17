"""Encrypts what is personal before it reaches a database or a disk: AES-256-GCM, under keys that neither of them has.

A key ring is one or more keys, the newest first: it encrypts, and all of them read. It is FIELD_KEYS where that is set,
else made once and kept with the other secrets (`nodes/secret_store.py`). `manage.py rotate_keys` puts a new key before
the others and encrypts everything anew; a process that meets a key it doesn't know reads the ring again.

Whatever is encrypted is bound to a context, such as its model, row and column: elsewhere it can't be read.
"""

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

_KEY_BYTES, _NONCE_BYTES, _ID_BYTES = 32, 12, 4
# How files begin that are encrypted, so that one that is not is known as such.
FILE_MARK = b"\x00FPE1"
FILE_HEAD_BYTES = len(FILE_MARK) + _ID_BYTES


class UnreadableError(Exception):
    """What was stored can't be decrypted: its key is missing, it was altered, or it was put in another's place."""


class Key:
    """One key of the ring, and what is derived of it for each use."""

    def __init__(self, text: str) -> None:
        key = b64decode(text, altchars=b"-_", validate=True)
        self.raw_id = hashlib.sha256(b"id" + key).digest()[:_ID_BYTES]
        self.id = self.raw_id.hex()
        self.fields = AESGCM(hmac.digest(key, b"fields", "sha256"))
        self.files = AESGCM(hmac.digest(key, b"files", "sha256"))
        self._words = hmac.digest(key, b"words", "sha256")

    def digest(self, text: str) -> bytes:
        """Stands for a text where it is only compared: nobody without the key can find the text by trying."""
        return hmac.digest(self._words, text.encode("utf-8", "surrogatepass"), "sha256")


class KeyRing:
    """The keys by their ids; the first one encrypts."""

    def __init__(self, text: str) -> None:
        self.text = text
        keys = [Key(one) for one in text.split()]
        self.first, self.by_id = keys[0], {key.id: key for key in keys}

    def __iter__(self) -> Iterator[Key]:
        return iter(self.by_id.values())


_ring: KeyRing | None = None
# A process encrypts under a new key no later than that.
READ_AGAIN_SECONDS = 30.0
_read_at = 0.0


def new_key() -> str:
    """A key, as FIELD_KEYS takes it."""
    return b64encode(secrets.token_bytes(_KEY_BYTES), altchars=b"-_").decode()


def key_ring() -> KeyRing:
    """The ring that this process has read."""
    return _ring or read_ring_again()


def read_ring_again() -> KeyRing:
    """The ring as it is now, since somebody may have put a new key into it."""
    global _ring, _read_at
    secret_store.forget(StoredSecret.FIELD_KEYS)
    text = " ".join(settings.FIELD_KEYS) or secret_store.read_or_create(StoredSecret.FIELD_KEYS, new_key)
    if _ring is None or _ring.text != text:
        _ring = KeyRing(text)
    _read_at = time.monotonic()
    return _ring


def _newest_key() -> Key:
    is_old = time.monotonic() - _read_at > READ_AGAIN_SECONDS and not settings.FIELD_KEYS
    return (read_ring_again() if is_old else key_ring()).first


def _key(key_id: str) -> Key:
    found = key_ring().by_id.get(key_id) or read_ring_again().by_id.get(key_id)
    if found is None:
        raise UnreadableError(f"No key {key_id} in the ring")
    return found


def encrypt(content: bytes, context: str) -> str:
    """As a column of text keeps it: the key's id, a colon, and nonce and ciphertext in base64."""
    key, nonce = _newest_key(), os.urandom(_NONCE_BYTES)
    sealed = nonce + key.fields.encrypt(nonce, content, context.encode())
    return f"{key.id}:{binascii.b2a_base64(sealed, newline=False).decode()}"


def decrypt(text: str, context: str) -> bytes:
    """What was encrypted in that context. Raises UnreadableError."""
    key_id, _, rest = text.partition(":")
    try:
        sealed = binascii.a2b_base64(rest)
        return _key(key_id).fields.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], context.encode())
    except (InvalidTag, ValueError) as error:
        raise UnreadableError(f"Does not belong to {context}, or was altered") from error


def characters_within(length: int) -> int:
    """How many bytes were encrypted into a text of that length, give or take two."""
    return max(0, (length - 2 * _ID_BYTES - 1) * 3 // 4 - _NONCE_BYTES - 16)


def encrypt_file(content: bytes, name: str) -> bytes:
    """As a file keeps it: a mark, the key's id, the nonce and the ciphertext, bound to the file's name."""
    key, nonce = _newest_key(), os.urandom(_NONCE_BYTES)
    return FILE_MARK + key.raw_id + nonce + key.files.encrypt(nonce, content, name.encode())


def decrypt_file(stored: bytes, name: str) -> bytes:
    """What the file of that name holds; one without the mark is older than encryption. Raises UnreadableError."""
    if not stored.startswith(FILE_MARK):
        return stored
    key_id, rest = stored[len(FILE_MARK) : FILE_HEAD_BYTES], stored[FILE_HEAD_BYTES:]
    nonce, sealed = rest[:_NONCE_BYTES], rest[_NONCE_BYTES:]
    try:
        return _key(key_id.hex()).files.decrypt(nonce, sealed, name.encode())
    except (InvalidTag, ValueError) as error:
        raise UnreadableError(f"The file {name} was altered, or belongs elsewhere") from error


def is_newest(text: str) -> bool:
    """Whether the first key has encrypted it."""
    return text.startswith(f"{key_ring().first.id}:")


def is_newest_file(stored: bytes) -> bool:
    """Whether a file, or its beginning, is encrypted by the first key."""
    return stored.startswith(FILE_MARK + key_ring().first.raw_id)
