"""Templates without their indentation: a third of a page would be the blanks that make its source readable.

And templates that know their blocks: Django looks through the whole frame for them each time that a page extends it.
"""

import re
from typing import Any

from django.template import Origin
from django.template.base import Node, NodeList, Template
from django.template.loaders import app_directories, cached, filesystem

_IDLE = re.compile(r"[ \t]*\n\s*")


def lean(source: str) -> str:
    """The same with one line end where blanks and line ends stood.

    A page looks the same: in a text area or `pre` nothing stands that isn't a variable's, and a text that is translated
    is on one line or trimmed.
    """
    return _IDLE.sub("\n", source)


class _Lean:
    def get_contents(self, origin: Origin) -> str:
        contents = str(super().get_contents(origin))  # type: ignore[misc]  # the loader's own, which stands beside it
        return lean(contents) if str(origin.name).endswith(".html") else contents


class FilesystemLoader(_Lean, filesystem.Loader):
    """Django's, made lean."""


class AppDirectoriesLoader(_Lean, app_directories.Loader):
    """Django's, made lean."""


class _KnownNodes(NodeList):
    """The nodes of a template, which stay the same: those of a kind are looked for once."""

    def __init__(self, nodes: NodeList) -> None:
        super().__init__(nodes)
        self._known: dict[type[Node], list[Node]] = {}

    def get_nodes_by_type(self, nodetype: type[Node]) -> list[Any]:
        if nodetype not in self._known:
            self._known[nodetype] = super().get_nodes_by_type(nodetype)
        return self._known[nodetype]


class CachedLoader(cached.Loader):
    """Django's, of templates that know their blocks."""

    def get_template(self, template_name: str, skip: list[Origin] | None = None) -> Template:
        template = super().get_template(template_name, skip)
        if not isinstance(template.nodelist, _KnownNodes):
            template.nodelist = _KnownNodes(template.nodelist)
        return template
