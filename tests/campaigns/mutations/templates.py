"""The ways to break a template: its conditions, loops, variables, addresses and attributes."""

import re
from collections.abc import Iterator
from pathlib import Path

from .mutation import Mutation, number

# Comments, and texts to translate (no filter may stand in them). They are blanked out, and every place stays.
_NO_CODE = re.compile(
    r"\{#.*?#\}|\{% *comment\b.*?\{% *endcomment *%\}|\{% *blocktranslate\b.*?\{% *endblocktranslate *%\}", re.S
)
_BLOCK = re.compile(r"\{% *block (\w+) *%\}|\{% *(endblock)\b[^%]*%\}")
_CONDITION = re.compile(r"\{% *(?:el)?if (.+?) *%\}")
_LOOP = re.compile(r"\{% *for (.+?) in (.+?) *%\}")
_VARIABLE = re.compile(r"\{\{ *(.+?) *\}\}")
_PATH = re.compile(r"\b([a-z_]\w*)\.([a-z_]\w*)\b")
_URL = re.compile(r"""\{% *url ["']([\w:-]+)["']((?: [\w.|:"']+)*?)(?: as \w+)? *%\}""")
_TOKEN = re.compile(r"\{% *csrf_token *%\}")
_INCLUDE = re.compile(r"\{% *include .+?%\}")
_ATTRIBUTE = re.compile(
    r"(?<=\s)(?:aria-[a-z]+|name|value|for|id|type|lang|dir|role|scope|autocomplete|href|action|method|enctype|hx-[a-z-]+"
    r'|data-[a-z-]+|required|hidden|disabled|inputmode|maxlength)="(?:\{\{.*?\}\}|\{%.*?%\}|[^"{]|\{(?![{%]))*"'
)


def mutations(path: Path, text: str) -> list[Mutation]:
    return number(_Template(path, text).changes(), text)


class _Template:
    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.code = _NO_CODE.sub(lambda match: re.sub(r"[^\n]", "_", match[0]), text)
        self.siblings: dict[str, list[str]] = {}
        for name, attribute in _PATH.findall(" ".join(re.findall(r"\{[{%].*?[%}]\}", self.code))):
            attributes = self.siblings.setdefault(name, [])
            if attribute not in attributes:
                attributes.append(attribute)

    def changes(self) -> Iterator[Mutation]:
        yield from self._conditions()
        yield from self._loops()
        yield from self._variables()
        yield from self._addresses()
        for operator, part in (("drop-token", _TOKEN), ("drop-include", _INCLUDE), ("drop-attribute", _ATTRIBUTE)):
            for match in part.finditer(self.code):
                yield self._change(operator, match.start(), match.end(), "")

    def _conditions(self) -> Iterator[Mutation]:
        for match in _CONDITION.finditer(self.code):
            condition, (start, end) = match[1], match.span(1)
            yield self._change("condition", start, end, "True")
            if condition.startswith("not "):
                yield self._change("condition", start, end, condition.removeprefix("not "))
            else:
                yield self._change("condition", start, end, f"not {condition}")
            for word in (" and ", " or "):
                first, found, rest = condition.partition(word)
                if found:
                    yield self._change("condition", start, end, first)
                    yield self._change("condition", start, end, rest)

    def _loops(self) -> Iterator[Mutation]:
        for match in _LOOP.finditer(self.code):
            yield self._change("empty-loop", *match.span(2), "''")
            if not match[2].endswith(" reversed"):
                yield self._change("reverse-order", *match.span(2), f"{match[2]} reversed")

    def _variables(self) -> Iterator[Mutation]:
        for match in _VARIABLE.finditer(self.code):
            variable, (start, end) = match[1], match.span(1)
            if "|safe" not in variable and "|json_script" not in variable:
                yield self._change("unescape", start, end, f"{variable}|safe")
            bare, pipe, _ = variable.rpartition("|")
            if pipe and '"' not in variable:
                yield self._change("drop-filter", start, end, bare)
            path = _PATH.match(variable)
            if path:
                attributes = self.siblings[path[1]]
                sibling = attributes[(attributes.index(path[2]) + 1) % len(attributes)]
                yield self._change("swap-columns", start, start + path.end(), f"{path[1]}.{sibling}")

    def _addresses(self) -> Iterator[Mutation]:
        urls = list(_URL.finditer(self.code))
        for match in urls:
            arguments = match[2].split()
            for other in dict.fromkeys(url[1] for url in urls if len(url[2].split()) == len(arguments)):
                if other != match[1]:
                    yield self._change("swap-address", *match.span(1), other)
            if len(arguments) == 2:
                yield self._change("swap-arguments", *match.span(2), f" {arguments[1]} {arguments[0]}")

    def _change(self, operator: str, start: int, end: int, source: str) -> Mutation:
        line = self.text.count("\n", 0, start) + 1
        return Mutation(self.path, operator, self._block(start), line, start, end, source)

    def _block(self, start: int) -> str:
        names: list[str] = []
        for match in _BLOCK.finditer(self.code, 0, start):
            if match[1]:
                names.append(match[1])
            elif names:
                names.pop()
        return names[-1] if names else ""
