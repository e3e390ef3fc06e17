"""Judge the progress of roles and of their people, for every page that shows it."""

from collections import Counter
from collections.abc import Set

from django.utils.translation import gettext

from formation_portal.applications.summaries import PartySummary, Totals
from formation_portal.contract.localisation import join_list
from formation_portal.contract.needs import CORRECTIONS
from formation_portal.contract.schema import Section
from formation_portal.ui.formats import counted

# A mark with its words.
Progress = tuple[str, str]
NO_REFUSALS: Set[str] = frozenset()


def role_progress(totals: Totals, section: Section, *, refused: Set[str] = NO_REFUSALS) -> Progress:
    """Judge a role: it is complete only when everybody in it is. `refused` has the tokens of refused parties."""
    tokens = {token for token, party in totals.parties.items() if section.role in party.roles}
    least = totals.draft.form_state.minimum_of(section).count
    if not refused.isdisjoint(tokens):
        return "stop", gettext("Changes needed")
    if not tokens:
        return ("open", gettext("Not started")) if least else ("met", gettext("Nothing required"))
    if not totals.needs_of_role(section) and not totals.codes_in(section):
        return "met", gettext("Complete")
    complete, count = totals.complete_in(section), max(len(tokens), least)
    if complete < count:
        return "half", gettext("{complete} of {count} complete").format(complete=complete, count=count)
    return "half", gettext("In progress")


def party_progress(party: PartySummary, *, is_refused: bool) -> Progress:
    """Judge one party by its answers, documents and shares."""
    if is_refused:
        return "stop", gettext("Changes needed")
    return ("half", needs_words(party.codes)) if party.needed else ("met", gettext("Complete"))


def needs_words(codes: Counter[str]) -> str:
    """Describe needs, like "1 answer to correct, 2 answers and 1 document to complete"."""
    corrections = sum(count for code, count in codes.items() if code in CORRECTIONS)
    documents, holdings = codes["document"], codes["holding"]
    missing = (
        counted(codes.total() - corrections - documents - holdings, "{count} answer", "{count} answers"),
        counted(documents, "{count} document", "{count} documents"),
        counted(holdings, "{count} shareholding", "{count} shareholdings"),
    )
    sentences = [counted(corrections, "{count} answer to correct", "{count} answers to correct")]
    if things := join_list([words for words in missing if words]):
        sentences.append(gettext("{things} to complete").format(things=things))
    return ", ".join(filter(None, sentences))
