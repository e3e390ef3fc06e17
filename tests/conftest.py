"""What every test stands on: databases, uploads and keys in a folder of the run's own, never in the tree's."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings


@pytest.fixture(scope="session")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of this run; it takes the place of DATA_DIR."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(run_dir: Path) -> None:
    """SQLite in files, as in production: a server's threads and the test then have connections of their own, which
    databases in memory can't give. Nothing waits for the disk."""
    for alias, database in settings.DATABASES.items():
        # Either may be asked for alone: neither knows of the other.
        database["TEST"]["DEPENDENCIES"] = []
        if database["ENGINE"].endswith("sqlite3"):
            database["TEST"]["NAME"] = str(run_dir / f"{alias}.sqlite3")
            start = database["OPTIONS"]["init_command"].replace("synchronous=FULL", "synchronous=OFF")
            database["OPTIONS"]["init_command"] = start


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_written_into_the_tree(run_dir: Path) -> Iterator[None]:
    (run_dir / "static").mkdir()
    storages = settings.STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
    with override_settings(
        DATA_DIR=run_dir,
        MEDIA_ROOT=run_dir / "documents",
        SERVICE_DOCUMENTS=run_dir / "service-documents",
        RELAY_DIR=run_dir / "relay",
        STATIC_ROOT=run_dir / "static",
        STORAGES=storages,
    ):
        yield
