"""Which roles a party may have (interface, "Party", role table; supplement, "Parties")."""

from collections.abc import Iterable

from formation_portal.contract import canonical
from formation_portal.contract.schema import FormSchema
from formation_portal.service.models import Party
from formation_portal.service.problems import Complaint, pointer, refuse_if_any

# The interface's role table; it decides where the entity's schema has no section for the role.
APPLIES_TO = {
    "director": frozenset({"person", "corporate"}),
    "shareholder": frozenset({"person", "corporate"}),
    "ubo": frozenset({"person"}),
    "member": frozenset({"person", "corporate"}),
    "supervisor": frozenset({"person", "corporate"}),
    "officer": frozenset({"person"}),
}


def active_roles(party: Party) -> list[str]:
    """Those that a party has: who has no shares is a potential shareholder only (interface, "States and transitions").

    Whether it has any is read with the party (`access.with_holds`); a new one has none.
    """
    return [role for role in party.roles if role != canonical.SHAREHOLDER or getattr(party, "holds", False)]


def refuse_unfit(form: FormSchema, kind: str, roles: Iterable[str]) -> None:
    """Raises 422 with a complaint for each role that nobody has here, or that a party of the kind may not have."""
    refuse_if_any(
        Complaint(pointer("roles", place), code, detail, "roles")
        for place, role in enumerate(roles)
        for code, detail in _objections(form, kind, role)
    )


def _objections(form: FormSchema, kind: str, role: str) -> Iterable[tuple[str, str]]:
    sections = form.sections_of([role])
    if not sections and role not in APPLIES_TO:
        yield "unknown_role", f"There is no role {role} here."
    elif not (any(section.allows(kind) for section in sections) if sections else kind in APPLIES_TO[role]):
        yield "party_type_not_allowed", f"A party of type {kind} can't have the role {role} here."
