"""Keys of the nodes of one installation."""

import base64


def new_key(letter: str) -> str:
    """A SECRETS_KEY, always the same for a letter."""
    return base64.b64encode(letter.encode() * 32).decode()
