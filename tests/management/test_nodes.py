"""Two nodes on one PostgreSQL: with SECRETS_KEY they share their secrets, and one with another secret is refused."""

from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from formation_portal.management.setup_lock import LOCK_NUMBER
from tests.scratch_postgres import KEYS

from .nodes import Installation
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
def test_a_node_with_another_secret_is_refused_and_the_doctor_names_it(shared: Installation) -> None:
    node = shared.node("third", SECRET_KEY=KEYS["SECRET_KEY"])
    code, output = node.run("mail")
    assert code == 1
    assert "CommandError: secret-key: is not the one of the other nodes: sessions and links of one node" in output
    assert "fault  Secrets: secret-key is not the one of the other nodes" in node.run("doctor")[1]
    [(digests,)] = shared.execute("SELECT digests::text FROM nodes_installation")
    assert KEYS["SECRET_KEY"] not in str(digests)
