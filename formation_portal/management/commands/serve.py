"""`manage.py serve`, which `make run` calls: set up the portal, then serve and run the workers until Ctrl-C."""

import socket
from contextlib import ExitStack
from functools import partial

from formation_portal.core.background import minute_tasks
from formation_portal.mail.worker import mail_sender
from formation_portal.management.commands import web
from formation_portal.management.supervision import Child
from formation_portal.relay.worker import Worker
from formation_portal.reviews.scheduled_decisions import decision_worker
from formation_portal.service.webhooks.sending import webhook_sender


class Command(web.Command):
    help = "Set up the portal if needed, then serve it with the embedded service and one process of workers."

    def workers(self, listening: socket.socket) -> list[Child]:
        return [Child("relay worker", partial(_work, listening))]


def _work(listening: socket.socket) -> None:
    # Only the web servers may hold the port open: a call may keep this process running after they have ended.
    listening.close()
    worker = Worker()
    worker.stop_on_signals()
    with ExitStack() as stack:
        for background_worker in (webhook_sender(), mail_sender(), minute_tasks(), decision_worker()):
            stack.enter_context(background_worker.running())
        worker.run()
