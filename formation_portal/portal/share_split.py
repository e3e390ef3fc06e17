"""Splitting the shares of a class equally among its holders, and saying what that came to."""

from dataclasses import dataclass

from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract.language import figure, listed, noted, say
from formation_portal.contract.shares import split

from .allocation import Allocation

# More names than these are a number.
_NAMED_AT_MOST = 3
_PUT_RIGHT = noted("Correct the numbers of {name} shares before you split them.")
_SAY_HOW_MANY = noted("Enter the total number of {name} shares in one of the cells, then split them.")
_TO_THE_ONLY = noted("All {total} {name} shares go to {who}, the only shareholder.")


class CannotSplit(Exception):
    """There is nothing to split yet; the message says what to do."""


@dataclass(frozen=True, slots=True)
class EqualParts:
    """The numbers of one class, to be typed by the tokens of party and class; and the sentence about them."""

    typed: dict[tuple[str, str], str]
    said: str


def equal_parts(allocation: Allocation, row: ShareClassRow) -> EqualParts:
    """The given shares of the class in equal parts, or, while none are given, all that it has. Raises CannotSplit.

    Its holders are those who have some of it; while fewer than two have, everybody who can.
    """
    holders, total = _holders(allocation, row), _total(allocation, row)
    parts = split(total, among=len(holders))
    typed = {(party.token, row.token): f"{part:,}" if part else "" for party, part in zip(holders, parts, strict=True)}
    return EqualParts(typed, _words(row, holders, parts))


def _holders(allocation: Allocation, row: ShareClassRow) -> tuple[PartyRow, ...]:
    some = tuple(party for party in allocation.holders if allocation.has_some(party, row))
    return some if len(some) > 1 else allocation.holders


def _total(allocation: Allocation, row: ShareClassRow) -> int:
    given, there_are = allocation.given(row), allocation.there_are(row)
    if any(allocation.is_unreadable(party, row) for party in allocation.holders):
        raise CannotSplit(say(_PUT_RIGHT, name=row.label))
    total = min(given, there_are or given) or there_are
    if not total or not allocation.holders:
        raise CannotSplit(say(_SAY_HOW_MANY, name=row.label))
    return total


def _words(row: ShareClassRow, holders: tuple[PartyRow, ...], parts: tuple[int, ...]) -> str:
    total, each = sum(parts), min(parts)
    if len(holders) == 1:
        return say(_TO_THE_ONLY, total=figure(total), name=row.label, who=holders[0].label)
    said = {"total": figure(total), "name": row.label, "holders": len(holders), "each": figure(each)}
    left = total - each * len(parts)
    if not left:
        return say("{total} {name} shares split between {holders} shareholders: {each} each.", **said)
    return say(
        "{total} {name} shares split between {holders} shareholders: {each} each, and 1 more for {who}.",
        who=_first(holders, left),
        **said,
    )


def _first(holders: tuple[PartyRow, ...], left: int) -> str:
    if left > _NAMED_AT_MOST:
        return say("each of the first {count}", count=left)
    return listed([party.label for party in holders[:left]])
