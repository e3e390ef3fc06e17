"""The outbox and the previews of letters, as the demo shows them."""

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.headers import CONTENT_POLICY
from formation_portal.letters.drawing import styles
from formation_portal.letters.models import Letter
from formation_portal.letters.samples import sample, samples

from .moments import moment

FRAMING_POLICY = f"{CONTENT_POLICY}; frame-src 'self'"


@dataclass(frozen=True, slots=True)
class LetterRow:
    """One letter of the outbox, as components/task.html draws it."""

    id: str
    title: str
    url: str
    state: str
    status: str
    note: str


@dataclass(frozen=True, slots=True)
class Preview:
    """One kind of letter with its sample data, and the address of its HTML."""

    kind: str
    subject: str
    text: str
    url: str


def letter_rows(letters: Iterable[Letter]) -> tuple[LetterRow, ...]:
    """The rows of the outbox."""
    return tuple(_row(letter) for letter in letters)


def previews(*, language: str) -> tuple[Preview, ...]:
    """Every kind."""
    drawn = ((kind, sample(kind, language=language)) for kind in samples())
    return tuple(
        Preview(kind, one.subject, one.text, reverse("portal:gallery_letter", args=[kind])) for kind, one in drawn
    )


def letter_html(html: str) -> HttpResponse:
    """A letter's HTML as a page of its own, to stand in a frame: it may use its one style sheet, and nothing else."""
    digest = b64encode(sha256(styles().encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'; sandbox"
    )
    return HttpResponse(html, headers={"Content-Security-Policy": policy, "X-Frame-Options": "SAMEORIGIN"})


def _row(letter: Letter) -> LetterRow:
    state, status = _standing(letter)
    return LetterRow(
        id=f"letter-{letter.number}",
        title=letter.subject or gettext("Content removed"),
        url=reverse("portal:letter", args=[letter.number]) if letter.text else "",
        state=state,
        status=status,
        note=_note(letter),
    )


def _note(letter: Letter) -> str:
    when = moment(letter.created_at)
    if not letter.to:
        return gettext("Written on %(when)s") % {"when": when}
    return gettext("To %(to)s, written on %(when)s") % {"to": letter.to, "when": when}


def _standing(letter: Letter) -> tuple[str, str]:
    if letter.sent_at:
        return "met", gettext("Sent on %(when)s") % {"when": moment(letter.sent_at)}
    if letter.next_at is None:
        return "stop", gettext("Not sent: %(error)s") % {"error": letter.error or gettext("too old")}
    if letter.error:
        return "heed", gettext("Tried %(tries)d times: %(error)s") % {"tries": letter.tries, "error": letter.error}
    return "half", gettext("In the outbox")
