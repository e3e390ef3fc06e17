"""What a customer declares on submitting: the text in full, kept with the application."""

from dataclasses import dataclass

from formation_portal.accounts.models import User
from formation_portal.applications.drafts import Draft
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
        "I declare that the information given here for {name} is true and complete. Everybody named in it "
        "knows that I give it. I will say so if anything changes before it is formed.",
        name=draft.title,
    )
    return Declaration(text, by.called, error)
