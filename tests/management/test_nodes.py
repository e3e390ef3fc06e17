"""Two nodes on one PostgreSQL: with SECRETS_KEY they set up once and share their secrets."""

import psycopg

from .served import manage
from .site import NEEDED, Site
from .test_setup_portal import assert_one_of_two_set_up

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


def printed(site: Site, number: int, code: str) -> str:
    done = manage(site.nodes[number].data, "shell", "-v", "0", "-c", code, **site.settings)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


def test_of_two_starts_at_once_one_sets_up_and_makes_each_secret_once_and_in_no_file(site: Site) -> None:
    assert_one_of_two_set_up("".join(node.lines) for node in site.nodes)
    with psycopg.connect(site.settings["DATABASE_URL"]) as database:
        names = database.execute("SELECT name FROM nodes_secret ORDER BY name").fetchall()
        assert names == [(name,) for name in NAMES]
        held = database.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone()
        assert held == (0,), "the lock is released at the end"
    for pattern in ("*-key", "*-secret"):
        assert list(site.folder.glob(f"*/{pattern}")) == []
    assert "is not the one of the other nodes" not in site.log()


def test_what_one_node_signs_another_verifies(site: Site) -> None:
    signed = printed(site, 0, SIGN)
    assert printed(site, 1, VERIFY.replace("SIGNED", signed)) == "a session"
