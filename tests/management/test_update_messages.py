"""Every message of ours has its translation in every language, fit to take its place."""

import re
from collections.abc import Iterator
from string import Formatter

import pytest
from babel.messages import Message

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


def pairs(language: str) -> Iterator[tuple[str, str, Message]]:
    """Each form of a message with each form of its translation."""
    for message in catalog_of(language):
        if message.id:
            originals = forms(message)
            translated = message.string if isinstance(message.string, tuple | list) else (message.string,)
            for index, text in enumerate(translated):
                yield originals[min(index, len(originals) - 1)], text, message


def test_every_message_is_translated() -> None:
    messages = {message.id for message in gather_messages() if message.id}
    for language in languages():
        catalog = catalog_of(language)
        assert {message.id for message in catalog if message.id} == messages, "make messages, then translate it"
        assert [original for original, translated, _ in pairs(language) if not translated] == []
        assert [message.id for message in catalog if message.fuzzy and message.id] == []
        assert po_path(language).with_suffix(".mo").read_bytes() == compile_catalog(catalog), "make messages"


@pytest.mark.parametrize("language", languages())
def test_a_translation_has_the_gaps_the_elements_and_the_ends_of_its_message(language: str) -> None:
    catalog = catalog_of(language)
    for message in catalog:
        assert not message.pluralizable or len(message.string) == catalog.num_plurals, message.id
    for original, translated, message in pairs(language):
        wanted = {name for form in forms(message) for name in gaps(form)}
        assert set(gaps(translated)) <= wanted, (original, translated)
        # The one form of a count may leave the number out, and so may its translation.
        assert wanted - set(gaps(translated)) <= ({"count"} if message.pluralizable else set()), (original, translated)
        assert sorted(_TAGS.findall(original)) == sorted(_TAGS.findall(translated)), (original, translated)
        assert '"' not in _TAGS.sub("", translated), translated
        assert original[0].isspace() == translated[0].isspace(), (original, translated)
        assert original[-1].isspace() == translated[-1].isspace(), (original, translated)


def test_a_template_gives_each_of_its_messages() -> None:
    source = (
        '{% translate "One" %}{% include "x.html" with title=_("Two") %}{{ one|default:_("Three") }}'
        "{% blocktranslate with name=a.b %}For {{ name }}, 5%{% endblocktranslate %}"
        "{% blocktranslate count n=all %}{{ n }} thing{% plural %}{{ n }} things{% endblocktranslate %}"
        "{% comment %}{% endcomment %}"
    )
    wanted = ["One", "Two", "Three", "For %(name)s, 5%%", ("%(n)s thing", "%(n)s things")]
    assert list(template_messages(source)) == wanted


def forms(message: Message) -> tuple[str, ...]:
    return tuple(message.id) if isinstance(message.id, tuple | list) else (message.id,)


def gaps(text: str) -> list[str]:
    """The names that a message is given values for, in either of the notations."""
    if "%(" in text:
        return _PERCENT.findall(text)
    return [name for _, name, _, _ in Formatter().parse(text.replace("%%", "")) if name]
