"""Compares what people were told with the portal's database, the service's record and the bucket; prints it as JSON.

Run with the cluster's settings, once nobody works on it any more.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application, Document
from formation_portal.gateway.configuration import service
from formation_portal.mail.models import Email
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.models import Query, ReviewDecision
from tests.campaigns.faults.comparison import broken_files, compare, is_at_rest
from tests.campaigns.faults.services import WithKeys
from tests.encrypted_rows import values_of
from tests.journeys.end_to_end.expected_record import expected_record
from tests.journeys.end_to_end.service_record import differences, read_service_record
from tests.waiting import wait_until

from .promises import Promises, as_client

PATIENCE_SECONDS = 180.0


def main(path: str) -> None:
    """`lost`, `doubled`, `files_lost` and `stuck` with what there is at all, and a sentence for each fault."""
    promises = Promises(Path(path))
    sentences = list(_until_at_rest())
    stuck = len(sentences)
    # The portal's rows against the service's.
    records = compare(WithKeys(Path("unused")).kept(), may_hold=False)
    sentences += records.sentences
    # What was typed and told against both.
    lost = [*_lost_answers(promises), *_lost_decisions(promises)]
    doubled = list(_doubled(promises))
    files = list(_lost_files(promises))
    figures = {
        "applications": len(promises.read("application")),
        "decisions": len(promises.read("decision")),
        "lost": records.lost + len(lost),
        "doubled": records.duplicated + len(doubled),
        "stuck": records.stuck + records.held + stuck,
        "files_lost": len(files),
        "sentences": sentences + lost + doubled + files,
    }
    json.dump(figures, sys.stdout)


def _until_at_rest() -> Iterator[str]:
    """Wait for the workers; what they haven't done by then is stuck."""
    try:
        wait_until(
            lambda: is_at_rest() and not Email.objects.filter(next_at__isnull=False).exists(), PATIENCE_SECONDS, "rest"
        )
    except AssertionError as error:
        yield f"stuck: {error}"


def _lost_answers(promises: Promises) -> Iterator[str]:
    """Every answer, party, class, holding and file that a customer has sent, as the service has it."""
    schemas = {item["product"]["slug"]: item["schema"] for item in service().catalog().items or []}
    for line in promises.read("application"):
        reference, schema = line["reference"], schemas[line["slug"]]
        found = read_service_record(reference, schema)
        for one in differences(expected_record(as_client(line), schema), found):
            yield f"lost: {reference}: {one}"


def _lost_decisions(promises: Promises) -> Iterator[str]:
    """Every decision, query and accepted fact that an agent was told of."""
    for line in promises.read("decision"):
        application = Application.objects.get(reference=line["reference"])
        if not ReviewDecision.objects.filter(application=application, kind=line["decision"]).exists():
            yield f"lost: {line['reference']}: the decision {line['decision']}"
        kept = set(values_of(Query.objects.filter(application=application), "text"))
        yield from (f"lost: {line['reference']}: the query {text}" for text in line["queries"] if text not in kept)
        if line["decision"] == "approve" and not all(one.is_done for one in load_checklist(open_draft(application))):
            yield f"lost: {line['reference']}: a fact that was accepted"


def _doubled(promises: Promises) -> Iterator[str]:
    """Applications that nobody knows of, parties and classes beyond those that were made, decisions made twice."""
    told = {line["reference"]: line for line in promises.read("application")}
    for application in Application.objects.all():
        line = told.get(application.reference)
        if line is None:
            yield f"doubled: {application.reference} is an application that nobody knows of"
            continue
        made = {fixed["token"] for _, fixed in as_client(line).pressed if "kind" in fixed}
        there = application.parties.filter(removed_at=None).count()
        if there > len(made):
            yield f"doubled: {application.reference} has {there} parties, not {len(made)}"
        slots = {value for sent in line["sent"] for name, value in sent["form_values"] if name == "slot"}
        documents = application.documents.in_use().count()
        if documents > len(slots):
            yield f"doubled: {application.reference} has {documents} documents, not {len(slots)}"
    decided = Counter(line["reference"] for line in promises.read("decision"))
    for reference, times in Counter(ReviewDecision.objects.values_list("application__reference", flat=True)).items():
        if times > decided[reference]:
            yield f"doubled: {reference} was decided {times} times, not {decided[reference]}"
    for text, times in Counter(values_of(Query.objects, "text")).items():
        if times > 1:
            yield f"doubled: the query “{text}”"


def _lost_files(promises: Promises) -> Iterator[str]:
    """Files that were taken and can't be read whole, at the portal and at the service."""
    for line in promises.read("application"):
        kept = set(Document.objects.filter(application__reference=line["reference"]).values_list("sha256", flat=True))
        yield from (
            f"file lost: {line['reference']} {one['words']}" for one in line["sent"] if one["digest"] not in kept
        )
    yield from (f"file lost: {name}" for name in broken_files())
