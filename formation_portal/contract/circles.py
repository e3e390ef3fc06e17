"""Circles and depth in a graph of dependencies, found without recursion: a hostile schema may be deep."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)

# Deeper than any form that people could follow, and well within the interpreter's own limit for the rules.
DEEPEST = 100


def find_circle(graph: Mapping[Node, Sequence[Node]]) -> list[Node] | None:
    """The members of one circle in order, or None."""
    done: set[Node] = set()
    for start in graph:
        path: list[Node] = []
        on_path: set[Node] = set()
        stack: list[tuple[Node, bool]] = [(start, False)]
        while stack:
            node, left = stack.pop()
            if left:
                on_path.discard(path.pop())
                done.add(node)
            elif node in on_path:
                return path[path.index(node) :]
            elif node not in done:
                path.append(node)
                on_path.add(node)
                stack.append((node, True))
                stack.extend((target, False) for target in graph.get(node, ()))
    return None


def longest_chain(graph: Mapping[Node, Sequence[Node]]) -> int:
    """How many steps the longest chain of a graph without circles has."""
    length: dict[Node, int] = {}
    for start in graph:
        stack: list[tuple[Node, bool]] = [(start, False)]
        while stack:
            node, ready = stack.pop()
            targets = graph.get(node, ())
            if ready:
                length[node] = 1 + max((length[target] for target in targets), default=-1)
            elif node not in length:
                stack.append((node, True))
                stack.extend((target, False) for target in targets)
    return max(length.values(), default=0)
