"""The title of an application in e-mails. Typed names go only to confirmed addresses, and never hold links."""

from django.utils import translation

from formation_portal.mail.typed_text import text_in_email

from .draft import Draft


def email_title(draft: Draft) -> str:
    """Return the title for an e-mail to a confirmed address: the typed name, else the product's, else the reference."""
    titles = (text_in_email(text) for text in (draft.title, draft.application.product_name))
    return next(filter(None, titles), draft.application.reference)


def impersonal_words(draft: Draft, language: str) -> dict[str, str]:
    """Return the product, jurisdiction and reference, for an e-mail to an unconfirmed address."""
    application = draft.application
    with translation.override(language):
        product, jurisdiction = application.product_name, application.jurisdiction_name
    return {"product": product, "jurisdiction": jurisdiction, "reference": application.reference}
