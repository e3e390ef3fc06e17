"""Write the HTML of an answer as lines that stay the same from run to run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from html import escape
from html.parser import HTMLParser
from zlib import crc32

_INLINE = frozenset({"a", "abbr", "b", "code", "em", "kbd", "small", "span", "strong", "svg", "time"})
_VERBATIM = frozenset({"pre", "textarea"})
# What differs from run to run, and what is written in its place.
_VOLATILE = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r'nonce="?[\w-]{22}"?', "nonce"),
        (r'data-account="\w+"', 'data-account="ACCOUNT"'),
        (r"\b(\d+)\.[a-z0-9]{10}\.[0-9a-f]{8}\b", r"\1.PAGE.FORM"),
        (r'(name="csrfmiddlewaretoken" value=|"X-CSRFToken": ?)"\w+"', r'\1"CSRF"'),
        (r'(/imports/|"row:|/part/|FP-[\w-]+/[\w-]+/|"me/|"token" value=")[a-z0-9]{10}(?=[/"\s]|$)', r"\1TOKEN"),
        (r"confirm-email/[\w:%-]+", "confirm-email/KEY"),
        (r"/key/[\w-]+", "/key/KEY"),
        (r"/refusal/[\w:-]+", "/refusal/KEY"),
        (r"\?key=[\w-]+", "?key=KEY"),
        (r"data:image/svg\+xml;base64,[\w+/=]+", "QR"),
        (r"<code>[A-Z2-7]{32}</code>", "<code>SECRET</code>"),
        (r'"challenge": "[\w-]{43}"', '"challenge": "CHALLENGE"'),
        (r"account-[0-9a-f]{12}", "ACCOUNT"),
        (r"sk_live_[\w-]{32}", "API-KEY"),
        (r"/desk/api-keys/\d+/", "/desk/api-keys/NUMBER/"),
        (r"\bmade\s+\d{1,2}\s\w+\s\d{4}", "made DAY"),
        (r'(<span class="id">)[\w-]{4}<', r"\1LAST<"),
        (r"<code>\d{8}</code>", "<code>RECOVERY</code>"),
        (r"(\d\d:\d\d:\d\d)\.\d{6}", r"\1"),
        (r"\b1772\d{12}\b", "MOMENT"),
        (r"FP-[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}", "FP-OTHER"),
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
        (r"\b[0-9a-f]{32,64}\b", "HEX"),
    )
]


@dataclass
class _Token:
    """A start tag, an end tag or a text, as it is written."""

    kind: str
    tag: str
    text: str


class _Tokens(HTMLParser):
    """Collect the tags and texts of a piece of HTML. Attributes are sorted; of a drawing stands a number."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tokens: list[_Token] = []
        self._open_svgs = 0
        self._drawing = ""
        self._verbatim = ""
        self.feed(html)
        self.close()

    def handle_decl(self, decl: str) -> None:
        self.tokens.append(_Token("start", "!", f"<!{decl}>"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._open_svgs:
            self._drawing += repr((tag, sorted(attrs)))
        else:
            written = "".join(
                f" {name}" if value is None else f' {name}="{escape(value)}"' for name, value in sorted(attrs)
            )
            self.tokens.append(_Token("start", tag, f"<{tag}{written}>"))
        if tag == "svg":
            self._open_svgs += 1
        if tag in _VERBATIM:
            self._verbatim = tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag == "svg":
            self._open_svgs -= 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "svg":
            self._open_svgs -= 1
            self.tokens.append(_Token("text", "", f"{crc32(self._drawing.encode()):08x}"))
            self._drawing = ""
        if tag == self._verbatim:
            self._verbatim = ""
        if not self._open_svgs:
            self.tokens.append(_Token("end", tag, f"</{tag}>"))

    def handle_data(self, data: str) -> None:
        if self._open_svgs:
            return
        if self._verbatim:
            self.tokens.append(_Token("text", self._verbatim, escape(data, quote=False).replace("\n", "⏎")))
            return
        words = re.sub(r"[ \t\r\n\f]+", " ", data)
        self.tokens.append(_Token("text", "", escape(words, quote=False)))


@dataclass
class Volatile:
    """Replace what is different in each run: names of this run first, then whatever fits a pattern."""

    names: dict[str, str] = field(default_factory=dict)

    def replace(self, html: str) -> str:
        for name, replacement in self.names.items():
            html = html.replace(name, replacement)
        for pattern, replacement in _VOLATILE:
            html = pattern.sub(replacement, html)
        return html


def lines_of(html: str) -> list[str]:
    """Return the tags and texts of a piece of HTML, a line each; an element that holds only a text is one line."""
    lines: list[str] = []
    tokens = list(_trimmed(_Tokens(html).tokens))
    at = 0
    while at < len(tokens):
        length = _length_of_line(tokens, at)
        lines.append("".join(token.text for token in tokens[at : at + length]))
        at += length
    return lines


def _length_of_line(tokens: list[_Token], at: int) -> int:
    """Return how many tokens from here on stand in one line."""
    kinds = [token.kind for token in tokens[at : at + 3]]
    if kinds == ["start", "text", "end"] and tokens[at].tag == tokens[at + 2].tag:
        return 3
    if kinds[:2] == ["start", "end"] and tokens[at].tag == tokens[at + 1].tag:
        return 2
    return 1


def _trimmed(tokens: list[_Token]) -> Iterator[_Token]:
    """Leave out the white space that no reader sees: all but that beside the end or the start of an inline element."""
    for at, token in enumerate(tokens):
        if token.kind != "text" or token.tag in _VERBATIM:
            yield token
            continue
        before, after = tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else None
        text = token.text
        if not (before and before.kind == "end" and before.tag in _INLINE):
            text = text.lstrip(" ")
        if not (after and after.kind == "start" and after.tag in _INLINE):
            text = text.rstrip(" ")
        if text:
            yield _Token("text", "", text)


def parts_of(lines: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Return what stands before, in and after the register of a page; a fragment is in it as a whole."""
    start = next((at for at, line in enumerate(lines) if line.startswith("<main")), None)
    if start is None:
        return [], lines, []
    ends = [line for line in ('<div class="notices">', "</main>") if line in lines]
    end = lines.index(ends[0]) if ends else len(lines)
    return lines[:start], lines[start:end], lines[end:]


def difference(frame: list[str], lines: list[str]) -> list[str]:
    """Return lines as they differ from a frame: “…” stands for lines that are the same."""
    differing: list[str] = []
    matcher = SequenceMatcher(None, frame, lines, autojunk=False)
    for kind, start, end, own_start, own_end in matcher.get_opcodes():
        if kind == "equal":
            differing.append("…")
        else:
            differing += [f"- {line}" for line in frame[start:end]]
            differing += [f"+ {line}" for line in lines[own_start:own_end]]
    return differing
