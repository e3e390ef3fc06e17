"""E-mails, which are written into the outbox in the caller's transaction and sent afterwards by a worker.

Imports only `core`, so that all other packages may import it.
"""

from collections.abc import Mapping


def queue_letter(*, kind: str, to: str, language: str, context: Mapping[str, object], once: str = "") -> None:
    """Write a letter into the outbox, in the present transaction, so that no page waits for a mail server.

    Its texts are templates/mail/<kind>.txt, whose first line is the subject, and templates/mail/<kind>.html. URLs in
    `context` are paths, which the filter `absolute_url` of the templates completes. A `reference` in it is stored with
    the letter. A letter with the same `once` as an earlier one is not written again, nor is one that its receiver has
    refused (`mail.outbox`).
    """
    # Models can't be imported while Django is still looking for the apps that hold them.
    from .outbox import add_to_outbox

    add_to_outbox(kind=kind, to=to, language=language, context=context, once=once)
