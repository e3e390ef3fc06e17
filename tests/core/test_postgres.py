"""The same tests on PostgreSQL: `DATABASE_URL` and `SERVICE_DATABASE_URL` take each database elsewhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needed import needed
from tests.scratch_postgres import KEYS, scratch_cluster, server_programs

PROJECT = Path(__file__).resolve().parents[2]

EVERY_PRODUCT = "tests/journeys/end_to_end/test_every_product.py"
# What touches the databases most: the record, the relay, the service, and one product from catalog to submitted.
ALL = [
    "tests/applications",
    "tests/audit",
    "tests/statistics",
    "tests/reviews",
    *(f"tests/relay/test_{name}.py" for name in ("sync", "worker", "skip_locked")),
    "tests/relay/calls/test_failing_calls.py",
    "tests/relay/calls/test_rate_limit.py",
    "tests/relay/calls/test_reconciliation.py",
    "tests/relay/resolution/test_decisions.py",
    *(f"tests/accounts/test_{name}.py" for name in ("guesses", "session_ends", "second_factor", "bound_rows")),
    "tests/desk/queue",
    "tests/desk/test_rotate_keys.py",
    "tests/privacy",
    "tests/service/test_retention.py",
    "tests/desk/decisions/test_four_eyes.py",
    "tests/desk/case/test_news.py",
    "tests/service/routes",
    "tests/service/webhooks",
    "tests/mail/test_waking.py",
    "tests/service/test_rate_limit.py",
    "tests/relay/incoming_webhooks",
    EVERY_PRODUCT,
]
# Where locks, pauses and whole journeys meet; the others are run by `make test-long`.
BUSIEST = [
    "tests/accounts/test_guesses.py::test_no_span_of_time_has_more_than_the_limit",
    *(f"tests/relay/test_{name}.py" for name in ("worker", "skip_locked")),
    "tests/service/test_rate_limit.py",
    "tests/mail/test_waking.py",
    "tests/service/webhooks/test_waking.py",
    "tests/management/test_backups.py",
    # Two connections that write at once.
    "tests/invitations/test_at_once.py",
    "tests/desk/queue/test_claims_at_once.py",
    "tests/portal/test_at_once.py",
    "tests/privacy/test_at_once.py",
    "tests/management/test_account_at_once.py",
    f"{EVERY_PRODUCT}::test_every_product_is_submitted_by_a_generic_client_and_held_as_typed[bvi-limited-company]",
]


# A thousand stories of people at the same case: locks are another thing there than in a database of one file. A test
# of 250 stories takes more than five minutes on two cores.
INTERLEAVINGS = ["tests/reviews/test_interleavings.py", "-m", "long", "-o", "faulthandler_timeout=3600"]


@pytest.mark.postgres
@needed("PostgreSQL", server_programs() is not None)
@pytest.mark.parametrize(
    "chosen",
    [
        pytest.param(BUSIEST, id="busiest"),
        pytest.param(ALL, id="all", marks=pytest.mark.long),
        pytest.param(INTERLEAVINGS, id="interleavings", marks=pytest.mark.long),
    ],
)
def test_record_relay_and_service_work_on_postgresql(chosen: list[str]) -> None:
    with scratch_cluster() as url:
        environment = {
            **os.environ,
            **KEYS,
            "DATABASE_URL": f"{url}/portal",
            "SERVICE_DATABASE_URL": f"{url}/formation",
        }
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        # Whoever hangs is named by that run, before the time of this test is over.
        command += ["-k", "not every_product or bvi", "-o", "faulthandler_timeout=300", *chosen]
        run = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
