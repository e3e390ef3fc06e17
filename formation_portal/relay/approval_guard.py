"""What the formation service has refused stops a submission and an approval: it would refuse the whole again."""

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
    blockers = []
    for row in draft.application.deliveries.all():
        kind = row.resource_kind
        is_by_agent = kind.is_transition and kind is not ResourceKind.SUBMISSION
        if not (row.is_returned or (row.state == DeliveryState.REFUSED and not is_by_agent)):
            continue
        for problem in problems_of(row) or (LocatedProblem("", "refused", gettext("No reason given")),):
            party = draft.party(problem.party) if problem.party else None
            message = f"Not accepted by the formation service: {problem.message}"
            blockers.append(ApprovalBlocker(_place(problem), party.label if party else "", message))
    return tuple(blockers)


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
