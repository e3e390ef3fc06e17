"""Our own words, as they stand in templates and in code, and how hard they are to read.

Words of a schema are its provider's: where a template shows one, or anything else that is known only when the page is
drawn, the word "it" stands here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_COMMENT = re.compile(r"\{% comment %\}.*?\{% endcomment %\}|\{#.*?#\}|<!--.*?-->|<svg.*?</svg>", re.DOTALL)
_TRANSLATED = re.compile(r"\{% trans(?:late)? \"([^\"]*)\"[^%]*%\}")
_INLINE = r"</?(?:a|b|strong|span|small|em|code|abbr)\b"
_TAG = re.compile(r"<(?:\"[^\"]*\"|'[^']*'|[^<>\"'])*>")
_SAID_IN_ATTRIBUTES = re.compile(r"(?:text|title|note|label|question|aria-label)=(?:_\()?\"([^\"{}]+)\"")
_SENTENCE = re.compile(r"(?<=[.?!:;])\s+|\n+")
_WORD = re.compile(r"[A-Za-zÀ-ÿ]+(?:[’'-][A-Za-zÀ-ÿ]+)*")
_VOWELS = re.compile(r"[aeiouyàáèéìíòóùúäöü]+")

# A constant of this many words or more is a sentence that somebody reads.
_FEWEST = 3
# What is raised to tell us that the code is wrong; no customer reads it.
_FOR_US = {
    "ValueError",
    "TypeError",
    "RuntimeError",
    "AssertionError",
    "LookupError",
    "KeyError",
    "NotImplementedError",
}


def sentences_of_template(path: Path) -> list[str]:
    """What a template says by itself; headings, labels and buttons are sentences of their own."""
    text = _COMMENT.sub(" ", path.read_text())
    beside = [
        attribute
        for tag in re.findall(r"\{%.*?%\}|<[^>]*>", text, re.DOTALL)
        for attribute in _SAID_IN_ATTRIBUTES.findall(tag)
    ]
    text = _TRANSLATED.sub(r"\1", text)
    text = re.sub(r"\{% plural %\}", "\n", text)
    text = re.sub(r"\{\{.*?\}\}", "it", text)
    text = re.sub(r"\{%.*?%\}", " ", text, flags=re.DOTALL)
    text = _TAG.sub(lambda tag: " " if re.match(_INLINE, tag[0]) else "\n", text)
    # A part of a tag by itself: its values are what is read out.
    text = re.sub(r"\b[\w-]+=\"|\"", "\n", text)
    text = text.replace("&nbsp;", " ").replace("&amp;", "&")
    return [*sentences(text), *sentences("\n".join(beside))]


def sentences_of_code(path: Path) -> list[str]:
    """What a module says to people: its longer constants, without docstrings and without what it raises for us."""
    tree = ast.parse(path.read_text())
    ours = {id(node) for node in _not_used(tree)}
    found: list[str] = []
    for node in ast.walk(tree):
        if id(node) in ours:
            continue
        if isinstance(node, ast.JoinedStr):
            found.append("".join(part.value if isinstance(part, ast.Constant) else "it" for part in node.values))
            ours |= {id(part) for part in node.values}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(re.sub(r"%\(\w+\)\w|%s|\{\w*\}", "it", node.value))
    return [
        one
        for text in found
        if len(_WORD.findall(text)) >= _FEWEST and re.match(r"(?![A-Z_]+$)[A-Z“]", text)
        for one in sentences(text)
    ]


def _not_used(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            yield body[0].value
        if isinstance(node, ast.Expr):
            yield node.value
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and _name(node.exc.func) in _FOR_US:
            yield from ast.walk(node.exc)
        if isinstance(node, ast.Call) and getattr(getattr(node.func, "value", None), "id", "") == "logger":
            yield from ast.walk(node)


def _name(called: ast.AST) -> str:
    return getattr(called, "id", "")


def sentences(text: str) -> list[str]:
    found = (" ".join(one.split()) for one in _SENTENCE.split(text))
    return [one for one in found if _WORD.search(one)]


def words(sentence: str) -> list[str]:
    return _WORD.findall(sentence)


def syllables(word: str) -> int:
    """Groups of vowels, without a silent e at the end."""
    word = word.lower()
    count = len(_VOWELS.findall(word))
    if word.endswith("e") and not word.endswith(("le", "ee")) and count > 1:
        count -= 1
    if word.endswith(("ed", "es")) and not word.endswith(
        ("ted", "ded", "ses", "ces", "zes", "ges", "xes", "shes", "ches")
    ):
        count -= count > 1
    return max(1, count)


def grade(sentences: list[str]) -> float:
    """The school year that reads this with ease, by Flesch and Kincaid."""
    all_words = [word for one in sentences for word in words(one)]
    if not all_words:
        return 0.0
    per_sentence = len(all_words) / len(sentences)
    per_word = sum(map(syllables, all_words)) / len(all_words)
    return 0.39 * per_sentence + 11.8 * per_word - 15.59
