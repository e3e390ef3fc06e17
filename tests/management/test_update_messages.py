"""Every message of ours has its translation in every language, fit to take its place."""

import re
from collections.abc import Iterator
from functools import cache
from string import Formatter

import pytest
from babel.messages import Catalog, Message

from formation_portal.management.commands.update_messages import (
    catalog_of,
    compile_catalog,
    gather_messages,
    po_path,
    template_messages,
)
from formation_portal.management.commands.update_messages import translated_languages as languages

_PERCENT = re.compile(r"%\((\w+)\)[sd]")
_TAGS = re.compile(r"</?[a-z][^>]*>")


@cache
def found() -> Catalog:
    return gather_messages()


def pairs(language: str) -> Iterator[tuple[str, str, Message]]:
    """Each form of a message with each form of its translation."""
    for message in catalog_of(language):
        if message.id:
            given = message.id if isinstance(message.id, tuple | list) else (message.id,)
            said = message.string if isinstance(message.string, tuple | list) else (message.string,)
            for index, one in enumerate(said):
                yield given[min(index, len(given) - 1)], one, message


@pytest.mark.parametrize("language", languages())
def test_every_message_is_translated(language: str) -> None:
    kept = {message.id for message in catalog_of(language) if message.id}
    assert {message.id for message in found() if message.id} == kept, "make messages, then translate what it names"
    assert [given for given, said, _ in pairs(language) if not said] == []
    assert [message.id for message in catalog_of(language) if message.fuzzy and message.id] == []


@pytest.mark.parametrize("language", languages())
def test_a_translation_has_the_gaps_of_its_message(language: str) -> None:
    for given, said, message in pairs(language):
        wanted = {name for one in forms(message) for name in gaps(one)}
        assert set(gaps(said)) <= wanted, (given, said)
        # The one form of a count may leave the number out, and so may its translation.
        assert wanted - set(gaps(said)) <= ({"count"} if message.pluralizable else set()), (given, said)


@pytest.mark.parametrize("language", languages())
def test_a_translation_has_the_elements_of_its_message_and_breaks_no_attribute(language: str) -> None:
    for given, said, _ in pairs(language):
        assert sorted(_TAGS.findall(given)) == sorted(_TAGS.findall(said)), (given, said)
        assert '"' not in _TAGS.sub("", said), said


@pytest.mark.parametrize("language", languages())
def test_a_translation_is_set_off_as_its_message_is(language: str) -> None:
    for given, said, _ in pairs(language):
        assert (given[0].isspace(), given[-1].isspace()) == (said[0].isspace(), said[-1].isspace()), (given, said)


@pytest.mark.parametrize("language", languages())
def test_every_count_has_every_form(language: str) -> None:
    catalog = catalog_of(language)
    short = [message.id for message in catalog if message.pluralizable and len(message.string) != catalog.num_plurals]
    assert short == []


@pytest.mark.parametrize("language", languages())
def test_what_the_portal_reads_is_what_was_translated(language: str) -> None:
    assert po_path(language).with_suffix(".mo").read_bytes() == compile_catalog(catalog_of(language)), "make messages"


def test_a_template_gives_each_of_its_messages() -> None:
    source = (
        '{% translate "One" %}{% include "x.html" with title=_("Two") %}{{ one|default:_("Three, 100%") }}'
        "{% blocktranslate with name=a.b %}For {{ name }}, 5%{% endblocktranslate %}"
        "{% blocktranslate count n=all %}{{ n }} thing{% plural %}{{ n }} things{% endblocktranslate %}"
        "{% comment %}{% endcomment %}"
    )
    wanted = ["One", "Two", "Three, 100%%", "For %(name)s, 5%%", ("%(n)s thing", "%(n)s things")]
    assert list(template_messages(source)) == wanted


def forms(message: Message) -> tuple[str, ...]:
    return tuple(message.id) if isinstance(message.id, tuple | list) else (message.id,)


def gaps(text: str) -> list[str]:
    """The names that a message is given values for, in either of the notations."""
    if "%(" in text:
        return _PERCENT.findall(text)
    return [name for _, name, _, _ in Formatter().parse(text.replace("%%", "")) if name]
