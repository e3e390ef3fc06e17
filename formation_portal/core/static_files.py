"""Static files in production: hashed names, compressed, what every page has of style sheets and scripts in one file.

`static/css/index.css` names the layers and then one file a component, `desk.css` those that only the desk has. In
development a browser follows their imports; in production `collectstatic` puts the files in their place, in that order,
without comments and idle space. Our scripts (`static/js`) lose theirs in the same way, and SCRIPTS become one.

Which of the two it is says STORAGES["staticfiles"] in the settings.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.contrib.staticfiles.finders import find
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.templatetags.static import static
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

from .colours import without_light_dark

SHEETS = ("css/index.css", "css/desk.css")
# What every page has, in this order: ours listen before htmx does.
SCRIPTS = (
    "js/portal.js",
    "js/regions.js",
    "js/saving.js",
    "js/autosave.js",
    "js/choosing.js",
    "django_htmx/htmx-2.min.js",
)
SCRIPT = "js/index.js"

_IMPORT = re.compile(r'@import url\("(?P<name>[^"]+)"\);\s*')
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_IDLE_SPACE = re.compile(r"\s*([{};,<>/=!])\s*")
# What stands before a block: only there is a plus no sum.
_SELECTOR = re.compile(r"[^{};]+(?={)")


def bundle_css(index: Path) -> str:
    """The style sheet that `index` describes: its own text, with each import replaced by the file it names, and the
    light colours for browsers that know no others.

    Raises FileNotFoundError for an import of a file that isn't there.
    """
    css = minify_css(_IMPORT.sub(lambda found: (index.parent / found["name"]).read_text(), index.read_text()))
    return css + without_light_dark(css)


def minify_css(css: str) -> str:
    """The same rules without comments, line ends and idle space; the space before a colon has a meaning in a selector.

    Our style sheets hold no quoted text with two spaces, a brace or a semicolon in it.
    """
    one_line = re.sub(r"\s+", " ", _COMMENT.sub("", css)).strip()
    css = _IDLE_SPACE.sub(r"\1", one_line).replace(";}", "}").replace(": ", ":")
    return _SELECTOR.sub(lambda found: found[0].replace(" + ", "+"), css)


def page_scripts() -> tuple[str, ...]:
    """The addresses of the scripts that every page has, in their order: in production of one file."""
    is_bundled = isinstance(storages["staticfiles"], BundledStaticFilesStorage) and not settings.DEBUG
    return (static(SCRIPT),) if is_bundled else tuple(map(static, SCRIPTS))


@cache
def icon() -> str:
    """The portal's icon as an address that holds it."""
    return f"data:image/svg+xml,{quote(Path(str(find('favicon.svg'))).read_text().strip(), safe='=:/()')}"


class BundledStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """WhiteNoise's storage, given the bundles and the short scripts before names are hashed."""

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str, bool]]:
        """Put the bundles and the short scripts where the files were copied to, then hash and compress everything but
        what is in a bundle."""
        if dry_run:
            return
        sources = {name: Path(storage.path(path)) for name, (storage, path) in paths.items()}
        made = {name: bundle_css(sources[name]) for name in SHEETS}
        shortened = {name: _shorten(path) for name, path in sources.items() if name.startswith("js/")}
        made |= {name: text for name, text in shortened.items() if name not in SCRIPTS}
        made[SCRIPT] = ";\n".join(shortened.get(name) or sources[name].read_text().strip() for name in SCRIPTS)
        for name, text in made.items():
            self.delete(name)
            self.save(name, ContentFile(text.encode()))
        parts = [name for name in paths if (name.startswith("css/") and name not in SHEETS) or name in SCRIPTS]
        self.delete_files(parts)
        kept = {name: one for name, one in paths.items() if name not in parts}
        yield from super().post_process(kept | {name: (self, name) for name in made}, dry_run, **options)


def _shorten(script: Path) -> str:
    # Our scripts hold neither an empty statement nor quoted text that ends a block.
    return str(jsmin(script.read_text())).replace(";}", "}")
