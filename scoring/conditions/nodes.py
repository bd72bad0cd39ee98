"""Conditions that need nothing but a thread and the time."""

from dataclasses import dataclass

from scoring.conditions.leaves import Leaf
from scoring.conditions.subject import Subject


@dataclass(frozen=True, slots=True)
class NotNode:
    node: "ResolvedNode"

    def holds(self, subject: Subject, now_ms: int) -> bool:
        return not self.node.holds(subject, now_ms)


@dataclass(frozen=True, slots=True)
class AllNode:
    """Each of the nodes holds; without any, always."""

    nodes: tuple["ResolvedNode", ...]

    def holds(self, subject: Subject, now_ms: int) -> bool:
        return all(node.holds(subject, now_ms) for node in self.nodes)


@dataclass(frozen=True, slots=True)
class AnyNode:
    """One of the nodes holds."""

    nodes: tuple["ResolvedNode", ...]

    def holds(self, subject: Subject, now_ms: int) -> bool:
        return any(node.holds(subject, now_ms) for node in self.nodes)


ResolvedNode = Leaf | NotNode | AllNode | AnyNode
