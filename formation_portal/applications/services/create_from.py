"""Create an application from another: a copy, or the content that fits another product. Files are copied too."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import Error
from django.utils.translation import gettext, gettext_noop

from formation_portal import workflow
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.localisation import format_number
from formation_portal.contract.record import MAX_PARTIES

from ..draft import Draft, keep_schema, open_draft
from ..fields import new_token, without_blanks
from ..models import (
    Application,
    Change,
    Document,
    Holding,
    Party,
    SectionAnswers,
    ShareClass,
    Stake,
    document_path,
    document_subject,
)
from ..stored_rows import token_of
from ..transfer import Content, content_of, fields_of_kind
from .exceptions import NotCopied, UploadRefused
from .shares import parse_shares
from .transactions import append_to_audit_log, lock_owner
from .upload_checks import check_quota, quota_transaction

logger = logging.getLogger(__name__)

# The first history entry of a copy, and of an application that was created from another.
COPIED_FROM = gettext_noop("Copied from {reference}")
CREATED_FROM = gettext_noop("Started with answers from {reference}")

_TOO_MANY_PARTIES = gettext_noop(
    "This application has {count} people and companies. A new one can have at most {limit}. Start a new application "
    "and add only those it needs"
)

# The storage name of each copy, by the primary key of the copied document, unless its file is missing.
StoredNames = dict[int, str]


@contextmanager
def copied_files(application: Application, documents: Iterable[Document]) -> Iterator[StoredNames]:
    """Copy the documents' files for rows that the block writes; delete the copies if it fails. Raises NotCopied."""
    stored: StoredNames = {}
    try:
        for document in documents:
            if name := _copy_file(application, document):
                stored[document.pk] = name
        yield stored
    except BaseException:
        # A commit may have succeeded although its reply was lost: only files without a row are deleted.
        with suppress(Error, OSError):
            committed = set(Document.objects.filter(file__in=stored.values()).values_list("file", flat=True))
            for name in set(stored.values()) - committed:
                Document._meta.get_field("file").storage.delete(name)
        raise


def _copy_file(application: Application, source: Document) -> str | None:
    if not source.has_copy:
        return None
    storage = source.file.storage
    try:
        with storage.open(str(source.file.name)) as content:
            return str(storage.save(document_path(Document(application=application), ""), content))
    except FileNotFoundError:
        logger.error("A document's file is gone, so that it can't be copied")
        return None
    except OSError as error:
        logger.error("A document could not be copied: %s", error.strerror or type(error).__name__)
        raise NotCopied from error


def create_copy(draft: Draft, *, by: AbstractBaseUser) -> Application:
    """Create a draft of the same product and schema with all entered content. Raises NotCopied, Gone."""
    old = draft.application
    new = Application(
        owner_id=by.pk, product_id=old.product_id, product=old.product, schema_version_id=old.schema_version_id
    )
    return _create(new, content_of(draft), by=by, message=COPIED_FROM, source=old)


def create_from(draft: Draft, *, item: CatalogItem, content: Content, by: AbstractBaseUser) -> Application:
    """Create a draft of another product from content that fits it. Raises NotCopied, Gone."""
    new = Application(
        owner_id=by.pk,
        product_id=item.jurisdiction_product_id,
        product=item.original.model_dump(mode="json", exclude={"form", "document"}),
        schema_version=keep_schema(item.document),
    )
    return _create(new, content, by=by, message=CREATED_FROM, source=draft.application)


def _create(
    application: Application, content: Content, *, by: AbstractBaseUser, message: str, source: Application
) -> Application:
    count = len(content.parties)
    if count > MAX_PARTIES:
        message = gettext(_TOO_MANY_PARTIES)
        raise NotCopied(message.format(count=format_number(count), limit=format_number(MAX_PARTIES)))
    sizes = [document.size for document in content.documents]
    try:
        check_quota(by.pk, sizes)
        with copied_files(application, content.documents) as stored, quota_transaction(by.pk, sizes):
            lock_owner(by)
            application.save()
            entry = Change.new(application, by, message, reference=source.reference)
            entry.save()
            _fill(open_draft(application), content, stored, by=by)
            workflow.application_changed(open_draft(application))
            append_to_audit_log(application, [entry], by=by)
    except UploadRefused as refused:
        raise NotCopied(refused.message) from refused
    return application


def _fill(draft: Draft, content: Content, stored: StoredNames, *, by: AbstractBaseUser) -> None:
    """Save the content as rows of a new application, with new tokens, also in references to them."""
    application, schema = draft.application, draft.schema
    parties = {party.token: party for party in content.parties}
    classes = {share_class.token: share_class for share_class in content.share_classes}
    tokens = {token: new_token() for token in (*parties, *classes)}
    for position, party in enumerate(content.parties, start=1):
        party.application = application
        party.token = tokens[party.token]
        party.raw = _with_new_references(fields_of_kind(schema, party.kind), party.raw, tokens)
        party.position = position
    for position, share_class in enumerate(content.share_classes, start=1):
        share_class.application = application
        share_class.token = tokens[share_class.token]
        share_class.raw = _with_new_references(schema.share_class_fields, share_class.raw, tokens)
        share_class.position = position
    Party.objects.bulk_create(content.parties)
    ShareClass.objects.bulk_create(content.share_classes)
    Holding.objects.bulk_create(
        Holding(
            application=application,
            party=parties[holder],
            share_class=classes[token],
            typed=typed,
            shares=parse_shares(typed),
        )
        for (holder, token), typed in content.holdings.items()
    )
    Stake.objects.bulk_create(
        Stake(application=application, company=parties[company], owner=parties[owner], typed=typed)
        for (company, owner), typed in content.stakes.items()
    )
    by_section: dict[str, dict[str, Any]] = {}
    entity = _with_new_references(schema.entity_fields, content.entity, tokens)
    for spec in schema.entity_fields:
        if spec.name in entity:
            by_section.setdefault(draft.home_section(spec.name), {})[spec.name] = entity[spec.name]
    if content.holdings and schema.share_section:
        # The row of the share section has the version of the holdings.
        by_section.setdefault(schema.share_section.key, {})
    SectionAnswers.objects.bulk_create(
        SectionAnswers(application=application, section_key=key, raw=raw, version=1) for key, raw in by_section.items()
    )
    copies: list[Document] = []
    for document in content.documents:
        if document.pk in stored:
            new_party = parties[document.party.token] if document.party else None
            copy = Document(
                application=application,
                party=new_party,
                slot=document.slot,
                subject=document_subject(token_of(new_party), document.slot),
                file=stored[document.pk],
                name=document.name,
                mime_type=document.mime_type,
                size=document.size,
                sha256=document.sha256,
                findings=document.findings,
                scan=document.scan,
                uploaded_by_id=by.pk,
            )
            copies.append(copy)
    Document.objects.bulk_create(copies)


def _with_new_references(
    fields: Iterable[FieldSpec], raw: Mapping[str, Any], tokens: Mapping[str, str]
) -> dict[str, Any]:
    """Replace the tokens of share classes in answers by new tokens."""
    answers = dict(raw)
    for spec in fields:
        token = answers.get(spec.name)
        if spec.refers_to_share_class and isinstance(token, str):
            answers[spec.name] = tokens.get(token, token)
    return without_blanks(answers)
