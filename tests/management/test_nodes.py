"""Two nodes on one PostgreSQL: with SECRETS_KEY they share their secrets, and one with another secret is refused."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from formation_portal.management.setup_lock import LOCK_NUMBER
from tests.scratch_postgres import KEYS

from .nodes import Installation, installation, new_key
from .served import end
from .site import NEEDED, Site
from .test_setup_portal import WAITS, assert_one_of_two_set_up

pytestmark = NEEDED

NAMES = ["audit-key", "field-keys", "portal-service-key", "secret-key", "webhook-signing-key"]
SIGN = """
import json
from datetime import UTC, datetime
from django.core import signing
from formation_portal.service.webhooks.sending import signed_headers
at = datetime.fromtimestamp(int(__import__("time").time()), UTC)
print(json.dumps([signing.dumps("a session"), signed_headers("wh_1", event_id="evt_1", body=b"{}", at=at)]))
"""
VERIFY = """
import json
from django.core import signing
from standardwebhooks import Webhook
from formation_portal.service.webhooks.sending import secret_of
session, headers = json.loads('''SIGNED''')
Webhook(secret_of("wh_1")).verify(b"{}", headers, json_parse=False)
print(signing.loads(session))
"""


@pytest.fixture
def shared(site: Site) -> Installation:
    """With a key, and set up by two nodes that were started at once."""
    return Installation(site.cluster.url, site.folder, site.settings)


def secret_files(folder: Path) -> list[str]:
    return sorted(path.name for pattern in ("*-key", "*-secret") for path in folder.glob(pattern))


def test_two_starts_at_once_on_empty_servers_make_each_secret_once_and_in_no_file(
    shared: Installation, site: Site
) -> None:
    assert shared.execute("SELECT name FROM nodes_secret ORDER BY name") == [(name,) for name in NAMES]
    assert secret_files(shared.folder / "one") == secret_files(shared.folder / "other") == []
    assert "is not the one of the other nodes" not in site.log()


@pytest.mark.long
def test_of_two_machines_one_sets_up_and_the_other_waits(shared: Installation, site: Site) -> None:
    assert_one_of_two_set_up("".join(node.lines) for node in site.nodes)
    with closing(psycopg.connect(shared.database)) as other:
        held = other.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone()
        assert held == (0,), "released at the end"
        # Whoever dies releases it too: the lock is its connection's.
        other.execute("SELECT pg_advisory_lock(%s)", [LOCK_NUMBER])
        third = shared.node("one").start("setup_portal")
        assert third.stdout is not None
        assert WAITS in third.stdout.readline()
    assert end(third)[0] == 0


def test_what_one_node_signs_another_verifies(shared: Installation) -> None:
    signed = shared.node("one").says(SIGN)
    assert shared.node("other").says(VERIFY.replace("SIGNED", signed)) == "a session"


@pytest.mark.long
@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            {"SECRETS_KEY": ""},
            "SECRETS_KEY: is not set, and with PostgreSQL or STORAGE_URL no key may be in DATA_DIR alone. ",
        ),
        ({"SECRETS_KEY": "", **KEYS}, "SECRETS_KEY: is not set, and the database holds the portal's secrets."),
        ({"SECRETS_KEY": new_key("b")}, "SECRETS_KEY: does not open "),
    ],
)
def test_a_node_without_the_key_of_all_ends_with_a_line_and_makes_none(
    shared: Installation, keys: dict[str, str], words: str
) -> None:
    node = shared.node("keyless", **keys)
    code, output = node.run("setup_portal")
    assert code == 1
    assert words in output
    assert "Traceback" not in output
    assert new_key("b") not in output
    assert secret_files(node.data) == []


def test_a_node_with_another_secret_is_refused_and_the_doctor_names_it(shared: Installation) -> None:
    node = shared.node("third", SECRET_KEY=KEYS["SECRET_KEY"])
    code, output = node.run("mail")
    assert code == 1
    assert "CommandError: secret-key: is not the one of the other nodes: sessions and links of one node" in output
    assert "fault  Secrets: secret-key is not the one of the other nodes" in node.run("doctor")[1]
    [(digests,)] = shared.execute("SELECT digests::text FROM nodes_installation")
    assert KEYS["SECRET_KEY"] not in str(digests)


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Without SECRETS_KEY; one node is set up."""
    with installation(tmp_path_factory.mktemp("apart"), **KEYS) as here:
        code, said = here.node("one").run("setup_portal")
        assert code == 0, said
        assert "Warning" not in said
        yield here


@pytest.mark.long
def test_without_the_key_a_node_with_secrets_in_files_of_its_own_is_refused(apart: Installation) -> None:
    code, output = apart.node("other").run("setup_portal")
    assert code == 1
    assert "CommandError: webhook-signing-key: is not the one of the other nodes: events" in output


@pytest.mark.long
def test_files_are_taken_over_when_the_key_is_set_for_the_first_time(apart: Installation) -> None:
    signed = apart.node("one").says(SIGN)
    # As a version left them that let a node on PostgreSQL make its own.
    for name in KEYS:
        (apart.folder / "one" / name.lower().replace("_", "-")).write_text(KEYS[name])
    keyed = dict.fromkeys(KEYS, "") | {"SECRETS_KEY": new_key("a")}
    code, said = apart.node("one", **keyed).run("setup_portal")
    assert code == 0
    assert said.count("from DATA_DIR into the database; the file may be removed") == len(NAMES)
    assert apart.node("other", **keyed).says(VERIFY.replace("SIGNED", signed)) == "a session"
    assert f"look   Secrets: {', '.join(NAMES)} in DATA_DIR" in apart.node("one", **keyed).run("doctor")[1]
