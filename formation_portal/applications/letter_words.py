"""The title of an application in e-mails. A typed name stands only in e-mails to confirmed addresses, and only if it
holds no address itself; all others have the product, the place and the reference.
"""

from django.utils import translation

from formation_portal.mail.typed_text import text_in_letter

from .draft import Draft


def letter_title(draft: Draft) -> str:
    """Return the title for an e-mail to a confirmed address, in the reader's language.

    If the typed name can't stand in an e-mail, it is the product's name, or else the reference.
    """
    titles = (text_in_letter(text) for text in (draft.title, draft.application.product_name))
    return next(filter(None, titles), draft.application.reference)


def impersonal_words(draft: Draft, language: str) -> dict[str, str]:
    """Return the words about an application for an e-mail in that language to an unconfirmed address.

    They are the catalog's names of the product and the place, and the reference, by which we find the application.
    """
    application = draft.application
    with translation.override(language):
        product, jurisdiction = application.product_name, application.jurisdiction_name
    return {"product": product, "jurisdiction": jurisdiction, "reference": application.reference}
