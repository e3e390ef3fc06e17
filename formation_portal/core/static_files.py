"""Bundle, minify and compress the static files of production, with hashed names.

In development a browser follows the imports of `static/css/index.css` and `desk.css`, and loads each script.
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
# The scripts of every page, in this order, so that ours add their listeners before htmx does.
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
# The selector before a block. Outside selectors, a plus is an addition.
_SELECTOR = re.compile(r"[^{};]+(?={)")


def bundle_css(index: Path) -> str:
    """Return the style sheet with its imports written out, and with rules for browsers without light-dark()."""
    css = minify_css(_IMPORT.sub(lambda match: (index.parent / match["name"]).read_text(), index.read_text()))
    return css + without_light_dark(css)


def minify_css(css: str) -> str:
    """Remove comments, line ends and needless space. The space before a colon has a meaning in a selector.

    Our style sheets have no quoted text with two spaces, a brace or a semicolon in it.
    """
    one_line = re.sub(r"\s+", " ", _COMMENT.sub("", css)).strip()
    css = _IDLE_SPACE.sub(r"\1", one_line).replace(";}", "}").replace(": ", ":")
    return _SELECTOR.sub(lambda match: match[0].replace(" + ", "+"), css)


def page_scripts() -> tuple[str, ...]:
    if isinstance(storages["staticfiles"], BundledStaticFilesStorage) and not settings.DEBUG:
        return (static(SCRIPT),)
    return tuple(map(static, SCRIPTS))


@cache
def icon() -> str:
    """Return the portal's icon as a data URL."""
    return f"data:image/svg+xml,{quote(Path(str(find('favicon.svg'))).read_text().strip(), safe='=:/()')}"


class BundledStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Add the bundles and minified scripts before WhiteNoise hashes the names."""

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str, bool]]:
        """Save the bundles and minified scripts, then hash and compress all files that are not in a bundle."""
        if dry_run:
            return
        sources = {name: Path(storage.path(path)) for name, (storage, path) in paths.items()}
        texts = {name: bundle_css(sources[name]) for name in SHEETS}
        bundled = {}
        for name, path in sources.items():
            if name in SCRIPTS:
                bundled[name] = _minify_js(path) if name.startswith("js/") else path.read_text().strip()
            elif name.startswith("js/"):
                texts[name] = _minify_js(path)
        texts[SCRIPT] = ";\n".join(bundled[name] for name in SCRIPTS)
        for name, text in texts.items():
            self.delete(name)
            self.save(name, ContentFile(text.encode()))
        parts = [name for name in paths if (name.startswith("css/") and name not in SHEETS) or name in SCRIPTS]
        self.delete_files(parts)
        remaining = {name: paths[name] for name in paths if name not in parts}
        remaining |= {name: (self, name) for name in texts}
        yield from super().post_process(remaining, **options)


def _minify_js(script: Path) -> str:
    # This is safe because our scripts have neither an empty statement nor quoted text that ends a block.
    return str(jsmin(script.read_text())).replace(";}", "}")
