"""The title of an application in e-mails. Only confirmed addresses get a typed name, if it holds no address."""

from django.utils import translation

from formation_portal.mail.typed_text import text_in_letter

from .draft import Draft


def letter_title(draft: Draft) -> str:
    """Return the title for an e-mail to a confirmed address: the typed name, the product's, or else the reference."""
    titles = (text_in_letter(text) for text in (draft.title, draft.application.product_name))
    return next(filter(None, titles), draft.application.reference)


def impersonal_words(draft: Draft, language: str) -> dict[str, str]:
    """Return the names of product and place and the reference, for an e-mail to an unconfirmed address."""
    application = draft.application
    with translation.override(language):
        product, jurisdiction = application.product_name, application.jurisdiction_name
    return {"product": product, "jurisdiction": jurisdiction, "reference": application.reference}
