"""`manage.py audit`: verify the chain, or accept entries that were left without an anchor or a keyed digest."""

import re
import time
from argparse import ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from formation_portal.audit import chain
from formation_portal.audit.anchor import write_anchor
from formation_portal.audit.marks import has_entry
from formation_portal.audit.verification import verify
from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret

_ENTRY = re.compile(r"([0-9]{1,18}):([0-9a-f]{64})")


class Command(BaseCommand):
    help = "Verify the audit log against its hashes and its anchor. Exit code 1 if anything was altered."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        verify_parser = actions.add_parser("verify", help="read every entry and list the numbers of altered entries")
        verify_parser.add_argument(
            "--reaches",
            metavar="NUMBER:HASH",
            type=_number_and_hash,
            help="an entry that the log must have, as a log file or an earlier run names it",
        )
        actions.add_parser(
            "anchor",
            help="add missing anchors and keyed digests, for example after a crash, an upgrade or a change of "
            "AUDIT_KEY, once you have reviewed the entries",
        )
        actions.add_parser("new-key", help="make a new AUDIT_KEY, which is kept before those that there are")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] == "new-key":
            self._make_key()
            return
        started, spent = time.perf_counter(), time.process_time()
        try:
            report = verify(now=time.time_ns() // 1000)
        except OSError as error:
            raise CommandError(f"AUDIT_ANCHOR: the anchor can't be read: {error.strerror}") from None
        if options["action"] == "anchor":
            write_anchor(report.unanchored)
            self.stdout.write(f"Entries anchored: {len(report.unanchored)}.")
            chain.accept(report.unkeyed)
            if report.unkeyed:
                self.stdout.write(f"Entries given a keyed digest: {len(report.unkeyed)}.")
            return
        took = f"{time.perf_counter() - started:.2f} s, {time.process_time() - spent:.2f} s of processor time"
        self.stdout.write(f"Read {report.rows} entries up to number {report.newest} in {took}.")
        if report.rows:
            self.stdout.write(f"It ends with {report.newest}:{report.newest_hash}.")
        if report.older:
            self.stdout.write(f"Entries up to number {report.older} are older than keyed digests.")
        findings = [f"Number {finding.number} {finding.what}." for finding in report.findings]
        if options["reaches"] and not has_entry(*options["reaches"]):
            findings.append(f"Number {options['reaches'][0]} is missing, or has another hash than you gave.")
        for line in findings:
            self.stdout.write(line)
        if report.is_other_key:
            raise CommandError(
                "AUDIT_KEY does not fit this audit log. Set the key that wrote it. If this is that key, all of the log "
                "was rewritten without it."
            )
        if findings:
            raise CommandError(f"The audit log has been altered. Findings: {len(findings)}.", returncode=1)
        self.stdout.write("The audit log is intact.")

    def _make_key(self) -> None:
        if settings.ENV.audit_key:
            raise CommandError("AUDIT_KEY is set: put a new key before it, and a space between them")
        keys = secret_store.read(StoredSecret.AUDIT_KEY)
        secret_store.replace(StoredSecret.AUDIT_KEY, f"{secret_store.new_secret()} {keys}".strip())
        self.stdout.write("Made a new key. Start all nodes anew, then run manage.py audit anchor.")


def _number_and_hash(text: str) -> tuple[int, str]:
    match = _ENTRY.fullmatch(text)
    if match is None:
        raise ArgumentTypeError("should be a number, a colon and a hash, as audit verify prints them")
    return int(match[1]), match[2]
