"""A customer's new name or e-mail address finds their cases at once, and the old one no more."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import Q
from django.db.models.signals import post_save, pre_save
from django.dispatch import receiver

from formation_portal.accounts.models import User
from formation_portal.applications.draft import load_schema

from .models import Case, CaseWord
from .recording import case_words, party_names

_NAMED_BY = ("first_name", "last_name", "email")
# So many cases of one customer are read at once.
_AT_ONCE = 200


@receiver(pre_save, sender=User)
def remember(instance: User, update_fields: Collection[str] | None = None, **_: Any) -> None:
    """What finds the customer until now. One query, where any of it may change: a sign-in saves other things."""
    may_change = instance.pk and (update_fields is None or set(update_fields) & set(_NAMED_BY))
    found = User.objects.filter(pk=instance.pk).values_list(*_NAMED_BY).first() if may_change else None
    # Read by `tell`, after the same save.
    instance.found_by = found  # type: ignore[attr-defined]


@receiver(post_save, sender=User)
def tell(instance: User, **_: Any) -> None:
    """Write the words of the customer's cases anew, in the transaction that changes the account."""
    before = getattr(instance, "found_by", None)
    if before is None or before == tuple(getattr(instance, name) for name in _NAMED_BY):
        return
    cases = Case.objects.filter(application__owner=instance.pk).select_related("application").order_by("pk")
    last = 0
    while found := list(cases.filter(pk__gt=last).prefetch_related("application__parties", "words")[:_AT_ONCE]):
        _write_anew(found, instance)
        last = found[-1].pk


def _write_anew(cases: list[Case], owner: User) -> None:
    gone: dict[bytes, list[int]] = defaultdict(list)
    new: list[CaseWord] = []
    for case in cases:
        there, wanted = {bytes(row.word) for row in case.words.all()}, _words_of(case, owner)
        new += [CaseWord(case_id=case.pk, word=word) for word in sorted(wanted - there)]
        for word in there - wanted:
            gone[word].append(case.pk)
    if gone:
        CaseWord.objects.filter(Q.create([Q(word=word, case__in=keys) for word, keys in gone.items()], Q.OR)).delete()
    CaseWord.objects.bulk_create(new, batch_size=1000)


def _words_of(case: Case, owner: User) -> set[bytes]:
    application = case.application
    application.owner = owner
    return case_words(application, title=case.title, names=[*_names(case)])


def _names(case: Case) -> Iterator[str]:
    parties = [party for party in case.application.parties.all() if party.removed_at is None]
    yield from party_names(load_schema(case.application.schema_version_id), parties)
