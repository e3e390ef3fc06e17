"""The outbox: letters are written in the caller's transaction, and sent afterwards by the relay worker's process.

Imports nothing of the other rooms, so that all of them may import it.
"""

from collections.abc import Mapping


def post(*, kind: str, to: str, language: str, context: Mapping[str, object], once: str = "") -> None:
    """Write a letter into the outbox, in the present transaction; no page ever waits for a mail server.

    Its texts are templates/letters/<kind>.txt, whose first line is the subject, and templates/letters/<kind>.html.
    Addresses of pages in `context` are paths: the templates make them whole by the filter `absolute`. `reference` in
    it, where there is one, is kept beside the letter. A letter with the same `once` as an earlier one is not written
    again, and one that its receiver doesn't want (`letters.refusing`) is not written at all.
    """
    # Models can't be imported while Django is still looking for the apps that hold them.
    from .writing import write

    write(kind=kind, to=to, language=language, context=context, once=once)
