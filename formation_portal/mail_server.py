"""EMAIL_URL: which mail server takes the letters, in the notation that every host uses."""

from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

_BACKENDS = "django.core.mail.backends"
# The scheme, with the port that goes with it and how the line is kept secret.
_SMTP: dict[str, tuple[int, dict[str, bool]]] = {
    "smtp": (25, {}),
    "smtp+tls": (587, {"EMAIL_USE_TLS": True}),
    "smtps": (465, {"EMAIL_USE_SSL": True}),
}


def configure(url: str) -> dict[str, Any]:
    """Django's settings for `smtp://`, `smtp+tls://`, `smtps://` or `file:///a/folder`; "" is no server at all.

    Raises ValueError, without the URL, which holds a password.
    """
    if not url:
        return {"EMAIL_BACKEND": f"{_BACKENDS}.dummy.EmailBackend"}
    parts = urlsplit(url)
    if parts.scheme == "file" and PurePosixPath(parts.path).is_absolute():
        return {"EMAIL_BACKEND": f"{_BACKENDS}.filebased.EmailBackend", "EMAIL_FILE_PATH": unquote(parts.path)}
    if parts.scheme not in _SMTP or not parts.hostname:
        raise ValueError("should begin with smtp://, smtp+tls:// or smtps:// and name a host, or be file:///a/folder")
    port, secrecy = _SMTP[parts.scheme]
    return {
        "EMAIL_BACKEND": f"{_BACKENDS}.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or port,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        **secrecy,
    }
