"""A judge: what it is asked, what it says, and which of its findings are accepted with a reason."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

MODES = ("eventlet", "gevent")


class Finding(NamedTuple):
    """One complaint. `rule` is the suite's own name of it, `where` the page, route or case."""

    rule: str
    where: str
    text: str


@dataclass
class Verdict:
    """The result of one run of a suite; `against` names what was judged."""

    against: str
    #: The number of things that the suite looked at.
    checks: int
    findings: list[Finding] = field(default_factory=list)
    #: Sentences for the page that are no findings, such as scores.
    notes: list[str] = field(default_factory=list)


class Judge(NamedTuple):
    """A suite. `run` gets an empty folder and returns its verdicts; it raises if it cannot run."""

    name: str
    #: One sentence: what is judged, and how.
    about: str
    #: Programs and packages with their versions.
    versions: Callable[[], Mapping[str, str]]
    run: Callable[[Path], Iterable[Verdict]]


class Accepted(NamedTuple):
    """A finding that stays, with its reason. `rule` and `where` are patterns with `*`."""

    judge: str
    rule: str
    where: str
    reason: str

    def covers(self, judge: str, finding: Finding) -> bool:
        return (
            judge == self.judge
            and fnmatchcase(finding.rule, self.rule)
            and fnmatchcase(finding.where, self.where)
        )


def reason_for(judge: str, finding: Finding, accepted: Iterable[Accepted]) -> str | None:
    """Returns why a finding is accepted; None if no row covers it."""
    return next((row.reason for row in accepted if row.covers(judge, finding)), None)


def stale(judge: str, verdicts: Sequence[Verdict], accepted: Iterable[Accepted]) -> list[Accepted]:
    """Returns the rows of a judge that cover none of its findings any more."""
    findings = [finding for verdict in verdicts for finding in verdict.findings]
    return [
        row
        for row in accepted
        if row.judge == judge and not any(row.covers(judge, finding) for finding in findings)
    ]
