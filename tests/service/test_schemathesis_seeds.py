"""How the figures of `make schemathesis` come about; the run itself is long (`test_openapi`)."""

import json

from tests.service.schemathesis_run import Outcome
from tests.service.schemathesis_seeds import summed_up

SAID = """
Failures:
  ❌ ST101 Server error: 2
  ❌ ST402 Object-level authorization bypass: 1
  ❌ ST103 Response violates schema: 1

Test cases:
  159 generated, 155 passed, 4 failed
"""
REPORT = """<testsuites><testsuite>
<testcase name="1-empty"><properties>
  <property name="seed" value="1"/><property name="cases" value="2600"/><property name="failures" value='{}'/>
</properties></testcase>
<testcase name="1-with-records"><properties>
  <property name="seed" value="1"/><property name="cases" value="2700"/><property name="failures" value='FOUND'/>
</properties></testcase>
<testcase name="2-empty"/>
</testsuite></testsuites>"""


def test_failures_are_counted_by_kind() -> None:
    found = {"Server error": 2, "Object-level authorization bypass": 1, "Response violates schema": 1}
    assert Outcome(1, 159, SAID).failures == found
    assert Outcome(0, 159, "No issues found").failures == {}


def test_a_seed_has_the_cases_and_failures_of_both_its_runs() -> None:
    cases, failures = summed_up(REPORT.replace("FOUND", json.dumps(Outcome(1, 159, SAID).failures)))
    assert cases == {1: 5300}
    assert failures == {1: {"server_errors": 2, "authorization_bypasses": 1, "schema_breaches": 1}}
