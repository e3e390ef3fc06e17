"""Templates without their indentation: a third of a page would be the blanks that make its source readable."""

import re

from django.template import Origin
from django.template.loaders import app_directories, filesystem

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
