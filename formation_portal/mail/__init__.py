"""E-mails: each is written into the outbox in the caller's transaction, and sent afterwards by the relay's process.

Imports no other package but `core`, so that all of them may import it.
"""

from collections.abc import Mapping


def queue_letter(*, kind: str, to: str, language: str, context: Mapping[str, object], once: str = "") -> None:
    """Write a letter into the outbox, in the present transaction; no page ever waits for a mail server.

    Its texts are templates/mail/<kind>.txt, whose first line is the subject, and templates/mail/<kind>.html.
    Addresses of pages in `context` are paths: the filter `absolute_url` of the templates makes them whole. `reference`
    in it, where there is one, is kept beside the letter. A letter with the same `once` as an earlier one is not written
    again, and one that its receiver doesn't want (`mail.outbox`) is not written at all.
    """
    # Models can't be imported while Django is still looking for the apps that hold them.
    from .outbox import add_to_outbox

    add_to_outbox(kind=kind, to=to, language=language, context=context, once=once)
