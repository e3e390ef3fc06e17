"""`make gallery`: the README's pictures, of a section and of the desk as they are now, light and dark.

Each is one small file in static/readme/, which is never served (formation_portal/apps.py).
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from tests.journeys.page_states.screenshots import PROJECT, running, take

FOLDER = PROJECT / "static/readme"
PAGES = {"section", "case"}
WIDTH = 1280
LARGEST = 120_000
_QUALITIES = range(80, 20, -10)


def main() -> None:
    """Take them anew, and say how large they are."""
    with TemporaryDirectory() as folder, running() as base:
        take(base, Path(folder), PAGES, has_whole=False)
        for picture in sorted(Path(folder).glob(f"*-{WIDTH}-*.png")):
            small = FOLDER / f"{picture.stem}.webp"
            _shrink(picture, small)
            sys.stdout.write(f"{small.name} {small.stat().st_size / 1000:.0f} kB\n")


def _shrink(picture: Path, small: Path) -> None:
    """As good as fits."""
    with Image.open(picture) as image:
        for quality in _QUALITIES:
            image.convert("RGB").save(small, "WEBP", quality=quality, method=6)
            if small.stat().st_size <= LARGEST:
                return
    raise ValueError(f"{picture.name} can't be made small enough")


if __name__ == "__main__":
    main()
