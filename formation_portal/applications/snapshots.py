"""Form schemas: kept once by digest in the database, parsed once by digest in each process."""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from formation_portal.contract.schema import FormSchema

from .models import Snapshot

# More products than any catalog we know of has; a parsed schema is some hundred kilobytes.
PARSED_AT_MOST = 64


def keep(document: Mapping[str, Any]) -> Snapshot:
    """The snapshot of the document, saved if it is new."""
    snapshot, _ = Snapshot.objects.get_or_create(digest=digest_of(document), defaults={"document": dict(document)})
    return snapshot


def digest_of(document: Mapping[str, Any]) -> str:
    """What names a document: the same content, the same digest."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=PARSED_AT_MOST)
def schema_of(digest: str) -> FormSchema:
    """The parsed schema. Costs one query where this process has not met the digest yet."""
    return FormSchema.model_validate(Snapshot.objects.get(digest=digest).document)
