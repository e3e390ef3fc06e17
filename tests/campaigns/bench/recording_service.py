"""The service of another make, which records when each call arrives and may ask callers to wait."""

import json
import random
import threading
import time
from pathlib import Path

from tests.campaigns.faults.applications import CATALOG
from tests.other_service import OtherService
from tests.other_service.failures import Failure
from tests.other_service.messages import Received

# Seconds that a caller is asked to wait.
RETRY_AFTER = 1


class RecordingService(OtherService):
    """`share_refused` of the calls are answered 429 with Retry-After, `most_refused` in all."""

    def __init__(self, folder: Path, *, port: int, share_refused: float, most_refused: int) -> None:
        super().__init__(journal=folder / "journal", port=port, catalog=CATALOG)
        self._share, self._left = share_refused, most_refused
        self._arrivals = folder / "arrivals"
        self._noting = threading.Lock()

    def serve(self) -> None:
        """Until the process ends."""
        self.start()
        self.serve_forever()

    def trouble_for(self, request: Received) -> Failure | None:
        """Called once for each request, as soon as it is there whole."""
        at = time.time()
        with self._noting:
            is_refused = self._left > 0 and random.random() < self._share
            self._left -= is_refused
            arrival = {"at": at, "method": request.method, "path": request.path}
            arrival["request_id"] = request.headers.get("X-Request-Id", "")
            with self._arrivals.open("a") as file:
                file.write(json.dumps(arrival | {"is_refused": is_refused}) + "\n")
        if is_refused:
            return Failure("", status=429, body={"error": "Not so fast"}, headers={"Retry-After": str(RETRY_AFTER)})
        return super().trouble_for(request)
