"""A background worker that rests for ten minutes unless it is woken."""

import contextlib
import threading
from collections.abc import Callable, Iterator

from formation_portal.core.background import BackgroundWorker


@contextlib.contextmanager
def resting(worker: BackgroundWorker) -> Iterator[None]:
    """It runs on PostgreSQL, has found nothing to do, and looks by itself only after ten minutes."""
    work, looks, looked = worker.work, 0, threading.Condition()

    def look(*, may_go_on: Callable[[], bool]) -> object:
        nonlocal looks
        done = work(may_go_on=may_go_on)
        with looked:
            looks += 1
            looked.notify_all()
        return done

    assert worker.channel is not None
    # Once more when it has begun to listen.
    at_first = 2
    worker.work, worker.poll_seconds = look, 600
    with worker.running():
        with looked:
            assert looked.wait_for(lambda: looks >= at_first, timeout=60)
        yield
        # It would end after its ten minutes.
        worker.stop()
        worker.channel.wake_after_commit()
