"""`python -m tests.deploy.after_restore`, with the settings of a portal that was restored and goes on; prints JSON.

It waits until the relay has nothing more to do, then compares each row with its file, and what the portal wants with
what the embedded service has.
"""

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.waiting import wait_until

PATIENCE = 240
_UNSENT = re.compile(r"^lost: |^stuck: .*: queued $")


def main() -> None:
    import django

    django.setup()
    from formation_portal.applications.models import Application, Document
    from formation_portal.relay.models import Delivery, DeliveryState, ResourceKind
    from formation_portal.service.models import Document as ServiceDocument
    from formation_portal.service.models import Entity, Party, ShareClass
    from tests.campaigns.faults.comparison import broken_files, compare, is_at_rest
    from tests.campaigns.faults.services import WithKeys

    wait_until(is_at_rest, PATIENCE, "the relay has nothing more to do")
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
        "files": Document.objects.count() + ServiceDocument.objects.count(),
        "without their file": broken_files(),
        "acknowledged": done.count(),
        "wrong": lost + [one for one in findings.sentences if not _UNSENT.search(one)],
    }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
