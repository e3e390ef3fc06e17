"""What came by e-mail, read as its receiver reads it."""

import re

from formation_portal.mail.models import Email


def latest_mail(kind: str) -> Email:
    """The last e-mail of that kind."""
    found = Email.objects.filter(kind=kind).order_by("pk").last()
    assert found is not None, f"no letter of kind {kind}"
    return found


def latest_link(kind: str) -> str:
    """The path that the e-mail's link leads to, with its key."""
    found = re.search(r"https?://[^/\s]+(/\S+\?key=\S+)", latest_mail(kind).text)
    assert found is not None
    return found[1]


def latest_code() -> str:
    """The six digits of the latest code."""
    found = re.search(r"^(\d{6})$", latest_mail("code").text, re.MULTILINE)
    assert found is not None
    return found[1]
