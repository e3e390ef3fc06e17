"""What a test needs beside Python. Where it is missing the test says "not run: …"; in CI nothing may be missing."""

import os
from pathlib import Path
from shutil import which

import pytest


def needed(what: str, is_there: bool) -> pytest.MarkDecorator:
    """Skip with a clear word where the thing is missing, unless everything is required."""
    if os.environ.get("REQUIRE_EVERYTHING") and not is_there:
        raise RuntimeError(f"{what} is missing, and this run requires everything")
    return pytest.mark.skipif(not is_there, reason=f"not run: {what} is not installed")


def chromium() -> str | None:
    """Where Chromium is: Debian's, or another on the path; None where there is none. The build that never has a window
    comes first: the same engine, in two thirds of the processor time."""
    known = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next((path for name in known if (path := which(name))), None)


def has_chromium() -> bool:
    path = chromium()
    return path is not None and Path(path).exists()
