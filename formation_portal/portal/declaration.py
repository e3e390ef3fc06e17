"""What a customer declares on submitting: the text in full, kept with the application."""

from dataclasses import dataclass

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.contract.language import say


@dataclass(frozen=True, slots=True)
class Declaration:
    """The text, and who makes it. `error` says that the box was left open."""

    text: str
    signer: str
    error: str = ""


def declaration_of(draft: Draft, *, by: User, error: str = "") -> Declaration:
    """The declaration for one application and the person who is about to submit it."""
    text = say(
        "I declare that the information in this application for {name} is true and complete. "
        "Everyone named in it knows that I am giving it. I will tell you if anything changes before "
        "the incorporation.",
        name=draft.title,
    )
    return Declaration(text, by.called, error)
