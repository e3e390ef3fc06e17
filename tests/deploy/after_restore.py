"""`python -m tests.deploy.after_restore`, with the settings of a portal that was restored and goes on; prints JSON.

It waits until the relay has nothing more to do, then compares each row with its file, and what the portal wants with
what the embedded service has.
"""

import hashlib
import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PATIENCE = 240
_UNSENT = re.compile(r"^lost: |^stuck: .*: queued $")


def main() -> None:
    """Print what was found."""
    import django

    django.setup()
    from django.core.files.storage import storages

    from formation_portal.applications.models import Application, Document
    from formation_portal.core.storage import SERVICE_FILES
    from formation_portal.relay.models import Delivery, DeliveryState, ResourceKind
    from formation_portal.service.models import Document as ServiceDocument
    from formation_portal.service.models import Entity, Party, ShareClass
    from tests.campaigns.faults.comparison import compare, is_at_rest
    from tests.campaigns.faults.services import WithKeys

    until = time.monotonic() + PATIENCE
    while not is_at_rest() and time.monotonic() < until:
        time.sleep(0.5)
    rows = [(storages["default"], str(one.file.name), one.sha256) for one in Document.objects.all()]
    rows += [(storages[SERVICE_FILES], one.path, one.sha256) for one in ServiceDocument.objects.all()]
    # What a draft has not sent yet is neither lost nor stuck; what the service has acknowledged has to be there.
    kinds = {ResourceKind.ENTITY: Entity, ResourceKind.PARTY: Party, ResourceKind.SHARE_CLASS: ShareClass}
    done = Delivery.objects.filter(state=DeliveryState.DONE, acknowledged__isnull=False).exclude(remote_id="")
    lost = [
        f"lost: {kind} {remote_id}"
        for kind, remote_id in done.values_list("kind", "remote_id")
        if (model := kinds.get(ResourceKind(kind))) and not model.objects.filter(pk=remote_id).exists()
    ]
    with tempfile.TemporaryDirectory() as folder:
        findings = compare(WithKeys(Path(folder)).kept(), may_hold=False)
    found: dict[str, Any] = {
        "applications": Application.objects.count(),
        "files": len(rows),
        "without their file": [name for storage, name, digest in rows if not _is_there(storage, name, digest)],
        "acknowledged": done.count(),
        "wrong": lost + [one for one in findings.sentences if not _UNSENT.search(one)],
    }
    sys.stdout.write(json.dumps(found))


def _is_there(storage: Any, name: str, digest: str) -> bool:
    try:
        with storage.open(name) as file:
            return hashlib.sha256(file.read()).hexdigest() == digest
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    main()
