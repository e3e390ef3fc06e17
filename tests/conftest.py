"""What every test stands on: databases, uploads and keys in a folder of the run's own, never in the tree's."""

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.core.management.commands.migrate import Command
from django.db import connection
from django.db.models.signals import post_migrate
from django.dispatch import receiver
from django.template.base import Template
from django.test import Client, override_settings
from django.test.utils import _TestState, instrumented_test_render, setup_databases, teardown_databases
from hypothesis import HealthCheck, is_hypothesis_test
from hypothesis import settings as hypothesis_settings

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from tests import factories
from tests.migrated import copy_databases, locked, migrate_or_copy
from tests.needed import has_chromium, needed
from tests.web_requests import forbid_writing

_LONGEST_ID = 200
# What a whole run writes into its temporary folder, at most.
_BYTES_NEEDED = 500_000_000

# A run starts some fifty processes. Whatever the environment says of bytecode: each would compile everything anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Ten thousand tests and all modules are loaded, and stay (see `pytest_collection_finish`).
gc.disable()

# The same keys in every folder that a test makes: rows that were made in one are read in another.
os.environ.setdefault("FIELD_KEYS", "dGVzdHMtb2YtdGhlLXBvcnRhbC1hbmQtbm90aGluZy0=")
settings.FIELD_KEYS = os.environ["FIELD_KEYS"].split()
# Migrated databases are copied, and the marks of the audit log in them.
os.environ.setdefault("AUDIT_KEY", "tests-attest-with-this-key-0123456789")
settings.AUDIT_KEY = os.environ["AUDIT_KEY"]

# No test is timed: how fast things are is measured by the benchmark, on a machine that does nothing else.
# A property is tried on the same examples in every run, so that a change is judged by what it changes. `make
# properties` (EXAMPLES=1000) looks for new ones, that many for each property.
_EXAMPLES = int(os.environ.get("EXAMPLES", "0"))
hypothesis_settings.register_profile(
    "house",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=_EXAMPLES or 30,
    derandomize=not _EXAMPLES,
)
hypothesis_settings.load_profile("house")


# Stories that one process tells from beginning to end: begun last, they would keep the others waiting.
_LONGEST = (
    "tests/core/test_postgres.py",
    "tests/journeys/desk/test_review.py",
    "tests/management/test_serve.py",
    "tests/campaigns/faults/",
    "tests/campaigns/durability/",
)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Say in one line that the disk is full, instead of in each test that writes to it."""
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if free < _BYTES_NEEDED and not hasattr(session.config, "workerinput"):
        pytest.exit(
            f"not run: {free // 10**6} MB are free in {folder}, and the tests need {_BYTES_NEEDED // 10**6} MB", 1
        )


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Each process of a whole run begins with other modules: what one has compiled, the others find compiled."""
    mine = getattr(session.config, "workerinput", None)
    if mine is None or session.config.args != session.config.getini("testpaths"):
        return
    paths = [path.relative_to(session.config.rootpath) for path in sorted(Path(__file__).parent.rglob("test_*.py"))]
    number, processes = int(mine["workerid"].removeprefix("gw")), mine["workercount"]
    first = len(paths) * number // processes
    for path in paths[first:] + paths[:first]:
        # Whatever is wrong with one, its own collection says.
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(path.with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first, so that several processes end together; and as many examples as were asked for. What takes the
    fixture `chromium` is marked as a test in a browser, and is not run where there is none."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
            item.add_marker(needed("Chromium", has_chromium()))
    items.sort(key=lambda item: not item.nodeid.startswith(_LONGEST))
    for test in {item.function for item in items if _EXAMPLES and isinstance(item, pytest.Function)}:
        if is_hypothesis_test(test):
            own = test._hypothesis_internal_use_settings
            test._hypothesis_internal_use_settings = hypothesis_settings(
                own, max_examples=max(own.max_examples, _EXAMPLES)
            )


def pytest_collection_finish(session: pytest.Session) -> None:
    """Ten thousand tests and all modules stay to the end: rubbish is looked for beside them, and less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Name a file's content by its argument, since a name with a moment in it would differ from process to process, and
    a long text by its beginning and its length."""
    if isinstance(val, bytes):
        return argname
    if isinstance(val, str) and len(val) > _LONGEST_ID:
        return f"{ascii(val[:20])[1:-1]}-{len(val)}-characters"
    return None


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


@pytest.fixture(scope="session")
def shared_dir(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all processes of this run share."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if hasattr(request.config, "workerinput") else own) / "shared"
    shared.mkdir(exist_ok=True)
    return shared


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: Any, django_db_modify_db_settings: None, shared_dir: Path
) -> Iterator[None]:
    """Both databases, whichever of them the chosen tests are marked with: no test ever sees those of the tree.

    The first process of a run migrates them, and the others copy them.
    """
    with django_db_blocker.unblock(), locked(shared_dir), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Command, "handle", migrate_or_copy(shared_dir))
        made = setup_databases(
            verbosity=0, interactive=False, aliases=set(settings.DATABASES), serialized_aliases=set()
        )
    yield
    with django_db_blocker.unblock():
        teardown_databases(made, verbosity=0)


@pytest.fixture(scope="session")
def with_databases(django_db_setup: None, shared_dir: Path) -> Callable[..., Path]:
    """Gives a DATA_DIR back with migrated databases in it (or those of some aliases), for a portal whose first start is
    not what is tested."""

    def copied(data: Path, *aliases: str) -> Path:
        copy_databases(shared_dir, data, *([aliases] if aliases else []))
        return data

    return copied


@pytest.fixture(scope="session")
def collected(shared_dir: Path) -> Path:
    """The static files as in production, collected once for all processes of a run.

    Not in STATIC_ROOT, where each `Client` of each test would look through a thousand files.
    """
    from tests.journeys.site import with_static_files

    folder = shared_dir / "static"
    with locked(shared_dir), with_static_files(folder):
        if not folder.exists():
            call_command("collectstatic", interactive=False, verbosity=0)
    return folder


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One Chromium for all tests of a process; each test has a context of its own."""
    from tests.journeys.browser import launched

    # Playwright keeps an event loop running in this thread, and Django would take every query for one in a coroutine.
    with pytest.MonkeyPatch.context() as patch, launched() as browser:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        patch.setattr(browser, "new_context", _watched(browser.new_context))
        yield browser


# What pages have tried that their content policy forbids, in any tab.
_forbidden_by_policy: list[str] = []


def _watched(new_context: Callable[..., Any]) -> Callable[..., Any]:
    def make(*args: Any, **more: Any) -> Any:
        context = new_context(*args, **more)
        context.on("console", _note_policy)
        return context

    return make


def _note_policy(message: Any) -> None:
    if "Content Security Policy" in message.text:
        _forbidden_by_policy.append(f"{message.location['url']}: {message.text}")


@pytest.fixture(autouse=True)
def _pages_keep_to_their_policy() -> Iterator[None]:
    yield
    found = _forbidden_by_policy.copy()
    _forbidden_by_policy.clear()
    assert not found, "\n".join(found)


@pytest.fixture(scope="session", autouse=True)
def _templates_are_drawn_as_in_production(django_test_environment: None) -> None:
    """Django's test environment copies the context of each template that is drawn: a twentieth of the run."""
    Template._render = _TestState.saved_data.template_render


@pytest.fixture
def noted_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """For `context` and `templates` of an answer."""
    monkeypatch.setattr(Template, "_render", instrumented_test_render)


@pytest.fixture(autouse=True)
def _only_the_worker_writes_to_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_writing(monkeypatch)


@receiver(post_migrate)
def _mark_the_empty_audit_log(sender: Any, using: str, **_: Any) -> None:
    """The marks are made by a migration, and a test that commits empties all tables."""
    if sender.label != "audit" or using != "default":
        return
    from formation_portal.audit.marks import make_marks
    from formation_portal.audit.models import ChainMark

    if ChainMark._meta.db_table in connection.introspection.table_names() and not ChainMark.objects.exists():
        make_marks()


@pytest.fixture(autouse=True)
def _nothing_was_counted_before() -> None:
    # Attempts to sign in, and e-mails to others.
    cache.clear()


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_written_into_the_tree(run_dir: Path) -> Iterator[None]:
    (run_dir / "static").mkdir()
    (run_dir / "arriving").mkdir()
    storages = settings.STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
    with override_settings(
        # Almost fourteen hours from UTC: whoever takes the day of one for that of the other is noticed.
        TIME_ZONE="Pacific/Chatham",
        DATA_DIR=run_dir,
        MEDIA_ROOT=run_dir / "documents",
        SERVICE_DOCUMENTS=run_dir / "service-documents",
        FILE_UPLOAD_TEMP_DIR=run_dir / "arriving",
        SERVICE_RATE_FILE=run_dir / "service-requests",
        AUDIT_ANCHOR=run_dir / "audit-anchor",
        # No worker runs.
        RELAY_WAIT_MS=0,
        STATIC_ROOT=run_dir / "static",
        STORAGES=storages,
        # In memory: what counts for all processes is tested by itself, and most tests have no database.
        CACHES={
            "default": settings.CACHES["default"] | {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
        },
        # Hundreds of people are made here, and none of their passwords is worth a second.
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    ):
        yield


# The people: the owner of an application, another customer, an agent, a colleague of theirs, and somebody who isn't
# signed in. All have confirmed their addresses.


@pytest.fixture
def owner(db: None) -> Any:
    return factories.person("owner@example.com", "Ingrid", "Solheim")


@pytest.fixture
def other_customer(db: None) -> Any:
    return factories.person("stranger@example.com", "Otto", "Fremd")


@pytest.fixture
def agent(db: None) -> Any:
    return factories.person("agent@example.com", "Mira", "Okafor", is_agent=True)


@pytest.fixture
def colleague(db: None) -> Any:
    return factories.person("dev@example.com", "Dev", "Ramanathan", is_agent=True)


@pytest.fixture
def as_owner(owner: Any) -> Client:
    return factories.browser_of(owner)


@pytest.fixture
def as_other_customer(other_customer: Any) -> Client:
    return factories.browser_of(other_customer)


@pytest.fixture
def as_agent(agent: Any) -> Client:
    return factories.browser_of(agent)


@pytest.fixture
def as_colleague(colleague: Any) -> Client:
    return factories.browser_of(colleague)


@pytest.fixture
def as_nobody(db: None) -> Client:
    """The browser of somebody who isn't signed in."""
    return Client()


# An application of the small product (factories.py) at each stage. Those that follow continue the one before.


@pytest.fixture
def own_folders(settings: Any, tmp_path: Path) -> None:
    """Uploads go into folders of the test's own."""
    settings.MEDIA_ROOT = tmp_path / "documents"
    settings.SERVICE_DOCUMENTS = tmp_path / "service-documents"


@pytest.fixture
def draft(owner: Any, own_folders: None) -> Draft:
    """A new draft of the owner's."""
    return factories.new_draft(owner)


@pytest.fixture
def application(draft: Draft) -> Application:
    return draft.application


@pytest.fixture
def complete(draft: Draft, owner: Any) -> Draft:
    """A draft that needs nothing more."""
    factories.fill_in(draft, by=owner)
    return draft


@pytest.fixture
def submitted(complete: Draft, owner: Any) -> Draft:
    """An application that was handed in for review."""
    services.submit(complete, by=owner, declaration="I declare it.")
    return complete


@pytest.fixture
def reviewed(submitted: Draft, agent: Any) -> Draft:
    """An application of which every fact is accepted."""
    factories.accept_everything(submitted, by=agent)
    return factories.again(submitted)
