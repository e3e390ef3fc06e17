"""What letters call an application. What its customers have typed stands only in letters to confirmed addresses, and
only where it holds no address itself; all others say what is formed and where, and the reference.
"""

from django.utils import translation

from formation_portal.mail.typed_text import text_in_letter

from .draft import Draft


def letter_title(draft: Draft) -> str:
    """The title, in the reader's language, for a letter to a confirmed address: the product's name, or else the
    reference, where what was typed can't stand in a letter."""
    words = (text_in_letter(one) for one in (draft.title, draft.application.product_name))
    return next(filter(None, words), draft.application.reference)


def impersonal_words(draft: Draft, language: str) -> dict[str, str]:
    """What a letter in that language may say to an address that nobody has confirmed: the catalog's words for what is
    formed and where, and the reference, by which we find the application if the reader asks us."""
    application = draft.application
    with translation.override(language):
        product, jurisdiction = application.product_name, application.jurisdiction_name
    return {"product": product, "jurisdiction": jurisdiction, "reference": application.reference}
