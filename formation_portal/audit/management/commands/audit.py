"""`manage.py audit verify`: is the chain as it was written? `audit anchor` accepts what was left without an anchor."""

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from formation_portal.audit.anchor import write_anchor
from formation_portal.audit.verification import verify


class Command(BaseCommand):
    """Reads every entry and the anchor. Verifying writes nothing."""

    help = "Verify the audit log against its hashes and its anchor. Exit code 1 if anything was altered."

    def add_arguments(self, parser: CommandParser) -> None:
        deeds = parser.add_subparsers(dest="deed", required=True)
        deeds.add_parser("verify", help="read every entry and list the numbers of altered entries")
        deeds.add_parser(
            "anchor", help="add missing anchors, for example after a crash, once you have reviewed the entries"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify, or anchor what verifying names as without an anchor."""
        started, spent = time.perf_counter(), time.process_time()
        try:
            report = verify(now=time.time_ns() // 1000)
        except OSError as error:
            raise CommandError(f"AUDIT_ANCHOR: the anchor can't be read: {error.strerror}") from None
        if options["deed"] == "anchor":
            write_anchor(report.unanchored)
            self.stdout.write(f"Entries anchored: {len(report.unanchored)}.")
            return
        took = f"{time.perf_counter() - started:.2f} s, {time.process_time() - spent:.2f} s of processor time"
        self.stdout.write(f"Read {report.rows} entries up to number {report.newest} in {took}.")
        for finding in report.findings:
            self.stdout.write(f"Number {finding.number} {finding.what}.")
        if report.findings:
            raise CommandError(f"The audit log has been altered. Findings: {len(report.findings)}.", returncode=1)
        self.stdout.write("The audit log is intact.")
