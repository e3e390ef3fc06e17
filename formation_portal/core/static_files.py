"""Static files in production: hashed names, compressed, and each style sheet as one request.

`static/css/index.css` names the layers and then one file a component, `desk.css` those that only the desk has. In
development a browser follows their imports; in production `collectstatic` puts the files in their place, in that order,
without comments and idle space. Our scripts (`static/js`) lose theirs in the same way.

Which of the two it is says STORAGES["staticfiles"] in the settings.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

SHEETS = ("css/index.css", "css/desk.css")
SCRIPTS = "js/"

_IMPORT = re.compile(r'@import url\("(?P<name>[^"]+)"\);\s*')
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_IDLE_SPACE = re.compile(r"\s*([{};,<>/=!])\s*")
# What stands before a block: only there is a plus no sum.
_SELECTOR = re.compile(r"[^{};]+(?={)")


def bundle_css(index: Path) -> str:
    """The style sheet that `index` describes: its own text, with each import replaced by the file it names.

    Raises FileNotFoundError for an import of a file that isn't there.
    """
    return minify_css(_IMPORT.sub(lambda found: (index.parent / found["name"]).read_text(), index.read_text()))


def minify_css(css: str) -> str:
    """The same rules without comments, line ends and idle space; the space before a colon has a meaning in a selector.

    Our style sheets hold no quoted text with two spaces, a brace or a semicolon in it.
    """
    one_line = re.sub(r"\s+", " ", _COMMENT.sub("", css)).strip()
    css = _IDLE_SPACE.sub(r"\1", one_line).replace(";}", "}").replace(": ", ":")
    return _SELECTOR.sub(lambda found: found[0].replace(" + ", "+"), css)


class BundledStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """WhiteNoise's storage, given the bundle and the short scripts before names are hashed."""

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str, bool]]:
        """Put the bundle and the short scripts where the files were copied to, then hash and compress everything."""
        ours = (
            {} if dry_run else {name: one for name, one in paths.items() if name in SHEETS or name.startswith(SCRIPTS)}
        )
        for name, (storage, path) in ours.items():
            source = Path(storage.path(path))
            text = bundle_css(source) if name in SHEETS else jsmin(source.read_text())
            self.delete(name)
            self.save(name, ContentFile(text.encode()))
            paths = paths | {name: (self, name)}
        yield from super().post_process(paths, dry_run, **options)
