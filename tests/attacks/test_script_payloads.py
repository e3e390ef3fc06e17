"""Sixty payloads in everything that is typed, uploaded or answered: every page is made as with harmless texts."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction

from formation_portal.gateway.catalog import forget
from tests.relay.conftest import _files_go_nowhere_else, transport
from tests.relay.flaky_transport import FlakyTransport

from .payloads import COUNT, HARMLESS, HOSTILE, Words, mark
from .site_of_payloads import Site
from .structure import SeenPage, differences, every_mark
from .visits import Visitors, pairs

__all__ = ["_files_go_nowhere_else", "transport"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# The kinds of places whose sixty payloads each of them reads.
SHOWN_TO = {
    "nobody": ("product", "place", "region", "timeline", "currency"),
    "owner": (
        *("title", "sectionhelp", "label", "help", "group", "slotlabel", "slothelp", "option", "optionlabel", "role"),
        *("personlabel", "personhelp", "first", "last", "class", "answer", "persontold", "file", "mail", "titled"),
        *("manyfirst", "manylast", "cellfirst", "celllast", "typed", "fault", "docnote", "query", "proposal", "reply"),
    ),
    "guest": ("personlabel", "personhelp", "persontold"),
    "agent": (
        *("label", "answer", "file", "first", "last", "class", "titled", "query", "proposal", "reply"),
        *("note", "screening", "shared", "remote", "decision"),
    ),
}
# A formula in a spreadsheet is not read. A fault whose field's name has a mark of direction names no question once the
# gateway has removed it, and goes to an agent.
REFUSED = {mark("cellfirst", COUNT - 1), mark("celllast", COUNT - 1), mark("fault", 48)}


@contextmanager
def undone(using: str) -> Iterator[None]:
    """Nothing of it is left in this database. As around a test, blocks that must be the outermost one may be within."""
    block: Any = transaction.atomic(using=using)
    block._from_testcase = True
    with block:
        yield
        transaction.set_rollback(True, using=using)


def visited(words: Words, transport: FlakyTransport) -> Visitors:
    """What everybody sees of a site with these words; nothing is left of it."""
    forget()
    cache.clear()
    transport.clear()
    with undone("default"), undone("service"):
        site = Site(words, transport)
        visitors = Visitors(site)
        for stage in site.stages():
            visitors.open_all(stage)
    forget()
    return visitors


def test_no_payload_is_markup_anywhere(transport: FlakyTransport, settings: Any) -> None:
    settings.UPLOADS_PER_HOUR = 1_000
    hostile, harmless = (visited(words, transport) for words in (HOSTILE, HARMLESS))
    found = [f"{one.name}: {fault}" for one, other in pairs(hostile, harmless) for fault in differences(one, other)]
    assert found == []
    # All of them were looked for where somebody reads them.
    shown = {who: set().union(*(page.marks for page in hostile.pages if page.who == who)) for who in SHOWN_TO}
    missing = {
        (who, kind): sorted(left)
        for who, kinds in SHOWN_TO.items()
        for kind in kinds
        if (left := every_mark(kind) - shown[who] - REFUSED)
    }
    assert missing == {}


@pytest.mark.parametrize("number", range(COUNT))
def test_each_payload_would_be_noticed_where_nothing_escapes_it(number: int) -> None:
    around = (
        "<p>{}</p><p>x</p>",
        '<input value="{}"><p>x</p>',
        "<input value='{}'><p>x</p>",
        "<input value={}><p>x</p>",
        '<a href="{}">x</a><p>x</p>',
        "<textarea>{}</textarea><p>x</p>",
        "<script>'{}'</script>",
    )
    texts = [words.one("text", number) for words in (HOSTILE, HARMLESS)]
    seen = [[SeenPage("nobody", "/", 200, page.format(text)) for text in texts] for page in around]
    assert any([*differences(*pair)] for pair in seen)
