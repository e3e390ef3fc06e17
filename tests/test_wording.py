"""How the pages speak to customers: no jargon, no shouting, and so plainly that a fifteen-year-old reads it."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from formation_portal.management.commands.update_messages import gather_messages
from formation_portal.ui.glossary import term_texts as terms
from tests.wording import grade, sentences, sentences_of_code, sentences_of_template, words

# The words are gathered once, by the process that runs these tests.
pytestmark = pytest.mark.xdist_group("wording")

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "formation_portal"
# What customers never see: the desk's pages, the embedded service's, and what is told to whoever runs the portal.
NOT_FOR_CUSTOMERS = {"audit", "desk", "service", "management", "migrations", "gateway", "gallery", "relay"}
# What is wrong with a form is told to its provider.
NOT_FOR_CUSTOMERS |= {"schema_check.py"}
# What is set for a database, a proxy or the sandbox is nothing that anybody reads.
NOT_FOR_CUSTOMERS |= {"databases.py", "networks.py", "sandbox.py", "overwriting.py"}
# What the doctor, the start and the log say is for operators.
NOT_FOR_CUSTOMERS |= {"monitoring", "nodes", "health.py", "background.py"}
# The names of countries are no sentences.
NOT_FOR_CUSTOMERS |= {"iso_codes.py"}

# Words of our trade, of lawyers and of machines; and those that blame, plead or shout.
JARGON = {
    *("validation", "validated", "invalid", "illegal", "mandatory", "failed", "failure", "fatal", "abort", "aborted"),
    *(
        "payload",
        "schema",
        "entity",
        "csp",
        "backend",
        "frontend",
        "database",
        "cache",
        "cached",
        "sync",
        "synchronise",
    ),
    *("token", "session", "timeout", "server", "api", "http", "url", "uuid", "null", "boolean", "string", "integer"),
    *("array", "parameter", "mime", "regex", "redirect", "endpoint", "request", "render", "interface", "widget"),
    *("dropdown", "checkbox", "radio-button", "modal", "toggle", "click", "tap", "hover", "login", "logon", "username"),
    *(
        "credentials",
        "authenticate",
        "authentication",
        "authorise",
        "authorisation",
        "utilise",
        "leverage",
        "facilitate",
    ),
    *("commence", "terminate", "prior", "subsequent", "pursuant", "hereby", "herein", "hereinafter", "aforementioned"),
    *("notwithstanding", "whilst", "amongst", "henceforth", "kyc", "aml", "ubo", "pep"),
    *("please", "sorry", "oops", "whoops", "unfortunately", "simply", "obviously", "successfully"),
}
# A file has these names, whoever reads it.
_KNOWN_BY_ALL = {"JSON", "PDF", "JPEG", "PNG", "CSV", "XLSX"}
# So is a law.
_KNOWN_BY_ALL |= {"FATCA"}

# Pages of the demo tell whoever tries the portal out how it is made.
_FOR_THE_DEMO = {"gallery.html", "letters.html"}

_LONGEST = 30
_HARDEST = 9
# Below this many words a figure of reading says nothing.
_ENOUGH = 25


def _sources() -> Iterator[tuple[str, list[str]]]:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        if not NOT_FOR_CUSTOMERS & set(path.relative_to(ROOT).parts) and path.name not in _FOR_THE_DEMO:
            yield str(path.relative_to(ROOT)), sentences_of_template(path)
    yield "the field's words", [one for word in terms().values() for one in (word.title, *sentences(word.meaning))]
    for path in sorted(PACKAGE.rglob("*.py")):
        if not NOT_FOR_CUSTOMERS & set(path.relative_to(PACKAGE).parts) and path.parent != PACKAGE:
            yield str(path.relative_to(ROOT)), sentences_of_code(path)


@cache
def customer_texts() -> dict[str, list[str]]:
    return {name: texts for name, texts in _sources() if texts}


# What agents and operators read. They know the words of the trade and of machines.
_FOR_AGENTS = ("desk", "reviews", "relay", "audit", "statistics", "management")
# Written to the provider, in the words of an e-mail.
_TO_PROVIDERS = {"provider_message.py"}
# Not said to people: the database's language, settings and arguments by their names.
_NOT_USED = re.compile(r"INSERT|SELECT|WHERE|[A-Z]+_[A-Z_]+|\bEMAIL\b")
_UNKIND = {*("please", "sorry", "oops", "whoops", "unfortunately", "simply", "obviously", "successfully"), "illegal"}


def _agents_sources() -> Iterator[tuple[str, list[str]]]:
    for path in sorted((ROOT / "templates" / "desk").rglob("*.html")):
        yield str(path.relative_to(ROOT)), sentences_of_template(path)
    for package in _FOR_AGENTS:
        for path in sorted((PACKAGE / package).rglob("*.py")):
            if "migrations" not in path.parts and path.name not in _TO_PROVIDERS:
                yield str(path.relative_to(ROOT)), sentences_of_code(path)


@cache
def agent_texts() -> dict[str, list[str]]:
    """The same for those who read them at the desk."""
    return {name: texts for name, texts in _agents_sources() if texts}


def test_the_words_are_found() -> None:
    assert "You will be asked to sign in first." in customer_texts()["templates/portal/catalog/product.html"]
    assert sum(map(len, customer_texts().values())) > 500


def _wrong(is_wrong: Callable[[str], object]) -> dict[str, list[str]]:
    found = {name: [one for one in texts if is_wrong(one)] for name, texts in customer_texts().items()}
    return {name: sentences for name, sentences in found.items() if sentences}


def test_no_word_belongs_to_a_trade() -> None:
    assert _wrong(lambda text: {word.lower() for word in words(text) if word not in _KNOWN_BY_ALL} & JARGON) == {}


def test_nobody_is_shouted_at() -> None:
    def is_loud(text: str) -> bool:
        capitals = {word for word in words(text) if len(word) > 4 and word.isupper()}
        return "!" in text or (bool(capitals - _KNOWN_BY_ALL) and not _NOT_USED.search(text))

    assert _wrong(is_loud) == {}


def test_no_sentence_is_too_long() -> None:
    assert _wrong(lambda text: len(words(text)) > _LONGEST) == {}


def test_every_page_is_read_with_ease() -> None:
    enough = {
        name: texts for name, texts in customer_texts().items() if sum(len(words(one)) for one in texts) >= _ENOUGH
    }
    assert len(enough) > 30
    assert {name: round(grade(texts), 1) for name, texts in enough.items() if grade(texts) > _HARDEST} == {}


def test_spelling_is_british() -> None:
    american = re.compile(
        r"\b(?:organiz|authoriz|recogniz|color|favor|center|catalogue|canceled|fulfill)\w*", re.IGNORECASE
    )
    assert [(name, one) for name, texts in customer_texts().items() for one in texts if american.search(one)] == []


# Words that users did not understand, and nouns that nobody but us used. Matched as whole words, in any case.
NO_LONGER_USED = (
    *("anew", "mended", "whoever", "somebody", "everybody", "yearly", "papers", "meanwhile", "carry over", "set aside"),
    *("class of shares", "classes of shares", "product", "provider", "refused", "refuses"),
)


def test_every_message_is_found_and_has_its_quotation_marks_within_it() -> None:
    """Inside an f-string no message is gathered; and the marks around a quotation are the translator's."""
    hidden = re.compile(r"""f"[^"]*(?:\{(?:gettext|ngettext)\(['"]|“\{)""")
    paths = [path for path in PACKAGE.rglob("*.py") if not NOT_FOR_CUSTOMERS & {*path.parts, path.name}]
    found = [(path.name, line) for path in paths for line in path.read_text().splitlines() if hidden.search(line)]
    for path in (ROOT / "templates").rglob("*.html"):
        text = re.sub(r"{% blocktranslate.*?{% endblocktranslate %}", "", path.read_text(), flags=re.DOTALL)
        found += [(path.name, line) for line in text.splitlines() if "desk" not in path.parts and "“{{" in line]
    assert found == []


def test_no_message_is_a_riddle() -> None:
    riddle = re.compile(r"\b(?:" + "|".join(NO_LONGER_USED) + r")\b", re.IGNORECASE)
    found = (one for one in gather_messages() if one.id)
    texts = (form for one in found for form in ([one.id] if isinstance(one.id, str) else list(one.id)))
    assert [one for one in texts if riddle.search(one)] == []


def test_agents_are_told_in_short_sentences_that_neither_plead_nor_shout() -> None:
    def is_wrong(text: str) -> bool:
        found = words(text) if not _NOT_USED.search(text) else []
        capitals = [word for word in found if len(word) > 4 and word.isupper() and word not in _KNOWN_BY_ALL]
        return len(found) > _LONGEST or "!" in text or bool({one.lower() for one in found} & _UNKIND) or bool(capitals)

    found = {name: [one for one in texts if is_wrong(one)] for name, texts in agent_texts().items()}
    assert {name: texts for name, texts in found.items() if texts} == {}
