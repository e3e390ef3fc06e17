"""What the formation service has refused stops a submission and an approval: it would refuse the whole again."""

from collections.abc import Iterator

from formation_portal.applications.draft import Draft
from formation_portal.contract.localisation import gettext
from formation_portal.contract.needs import Need
from formation_portal.reviews.checklist import ApprovalBlocker
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind

from .models import Delivery, DeliveryState
from .problems import LocatedProblem, needs_of, problems_of
from .resources import ResourceKind


def block_submission(draft: Draft) -> tuple[Need, ...]:
    """What the service has refused needs a change before submitting."""
    return needs_of(Delivery.objects.filter(application=draft.application))


def block_approval(draft: Draft) -> tuple[ApprovalBlocker, ...]:
    """An objection for each refused delivery but an agent's own change of status: one query where the rows were not
    read yet."""
    return tuple(
        one for row in draft.application.deliveries.all() if _is_refused(row) for one in _objections(draft, row)
    )


def _is_refused(row: Delivery) -> bool:
    kind = row.resource_kind
    is_ours = kind.is_transition and kind is not ResourceKind.SUBMISSION
    return row.is_returned or (row.state == DeliveryState.REFUSED and not is_ours)


def _objections(draft: Draft, row: Delivery) -> Iterator[ApprovalBlocker]:
    found = problems_of(row) or (LocatedProblem(field="", code="refused", message=gettext("No reason given")),)
    for problem in found:
        party = draft.party(problem.party) if problem.party else None
        whose = party.label if party else ""
        yield ApprovalBlocker(_place(problem), whose, f"Not accepted by the formation service: {problem.message}")


def _place(problem: LocatedProblem) -> Target:
    """What the problem is about, as far as the service has said."""
    holder = problem.party or problem.share_class
    if problem.slot:
        return Target.of_document(problem.party, problem.slot)
    if problem.field and (holder or problem.section):
        return Target.of_field(holder or problem.section, problem.field)
    if problem.party:
        return Target(TargetKind.PARTY, problem.party)
    return Target(TargetKind.SECTION, problem.section) if problem.section else WHOLE_APPLICATION
