"""Charts of results as SVG, drawn by hand: bars and lines on scales of powers of ten."""

import math
from collections.abc import Iterable, Iterator
from html import escape
from typing import NamedTuple

WIDTH = 760
_LABEL, _ROW, _TOP = 300, 22, 72
_COLOURS = {
    "lineup": "#2563eb",
    "recipe": "#c2410c",
    "recipe, gathering": "#ea8a4b",
    "counting": "#c2410c",
}
_OTHER = "#6b7280"


def bars(title: str, unit: str, rows: list[tuple[str, str, float]]) -> str:
    """Returns a chart. `rows`: (label, side, value above 0)."""
    low = 10 ** math.floor(math.log10(min(value for *_, value in rows)))
    high = 10 ** math.ceil(math.log10(max(value for *_, value in rows)) + 1e-9)
    decades = max(1.0, math.log10(high / low))
    room = WIDTH - _LABEL - 90
    height = _TOP + _ROW * len(rows) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="8" y="20" font-size="15" fill="#111">{escape(title)}</text>',
        f'<text x="8" y="38" fill="#555">{escape(unit)}; each step of the scale is ten times'
        " the one before</text>",
    ]
    for step in range(int(decades) + 1):
        x = _LABEL + room * step / decades
        parts.append(
            f'<line x1="{x:.0f}" y1="{_TOP - 8}" x2="{x:.0f}" y2="{height - 6}" stroke="#ddd"/>'
            f'<text x="{x:.0f}" y="{_TOP - 12}" text-anchor="middle" fill="#777" font-size="10">'
            f"{low * 10**step:g}</text>"
        )
    for number, (label, side, value) in enumerate(rows):
        y = _TOP + _ROW * number
        length = max(2.0, room * math.log10(value / low) / decades)
        colour = _COLOURS.get(side.partition(" of ")[0], _OTHER)
        parts.append(
            f'<text x="{_LABEL - 8}" y="{y + 14}" text-anchor="end" fill="#333">'
            f"{escape(label)}</text>"
            f'<rect x="{_LABEL}" y="{y + 3}" width="{length:.0f}" height="{_ROW - 7}"'
            f' fill="{colour}"/>'
            f'<text x="{_LABEL + length + 5:.0f}" y="{y + 14}" fill="#333">{_shown(value)}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def lines(title: str, unit: str, found: dict[str, list[tuple[float, float]]]) -> str:
    """Returns a chart with a line for each label: (x, y), all above 0."""
    xs, ys = zip(*(point for line in found.values() for point in line), strict=True)
    across, up = _Scale.of(xs, _LEFT, WIDTH - 150), _Scale.of(ys, _BOTTOM, 56)
    about = f"{escape(unit)}; each step of the scales is ten times the one before"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {_BOTTOM + 40}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{_BOTTOM + 40}" fill="#fff"/>',
        f'<text x="8" y="20" font-size="15" fill="#111">{escape(title)}</text>',
        f'<text x="8" y="38" fill="#555">{about}</text>',
    ]
    for value in across.steps:
        x = across.at(value)
        parts.append(_line((x, up.first), (x, up.last)) + _label(x, _BOTTOM + 16, value))
    for value in up.steps:
        y = up.at(value)
        parts.append(_line((across.first, y), (across.last, y)) + _label(_LEFT - 30, y + 4, value))
    for label, line in found.items():
        parts += _drawn(label, [(across.at(x), up.at(y)) for x, y in line])
    return "\n".join([*parts, "</svg>\n"])


_LEFT, _BOTTOM = 70, 300


def _drawn(label: str, places: list[tuple[float, float]]) -> Iterator[str]:
    colour = _COLOURS.get(label.partition(" ")[0], _OTHER)
    dash = ' stroke-dasharray="4 3"' if label.endswith("p50") else ""
    path = " ".join(f"{x:.0f},{y:.0f}" for x, y in places)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
    for x, y in places:
        yield f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="{colour}"/>'
    x, y = places[-1]
    yield f'<text x="{x + 8:.0f}" y="{y + 4:.0f}" fill="{colour}">{escape(label)}</text>'


class _Scale(NamedTuple):
    """A scale of whole powers of ten, from `low` to `high`, drawn from `first` to `last`."""

    low: int
    high: int
    first: float
    last: float

    @classmethod
    def of(cls, values: Iterable[float], first: float, last: float) -> "_Scale":
        powers = [math.log10(value) for value in values]
        low = math.floor(min(powers) + 1e-9)
        return cls(low, max(low + 1, math.ceil(max(powers) - 1e-9)), first, last)

    @property
    def steps(self) -> list[float]:
        return [10.0**power for power in range(self.low, self.high + 1)]

    def at(self, value: float) -> float:
        """Returns the place of a value."""
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.first + (self.last - self.first) * share


def _line(begin: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (to_x, to_y) = begin, end
    return f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{to_x:.0f}" y2="{to_y:.0f}" stroke="#ddd"/>'


def _label(x: float, y: float, value: float) -> str:
    middle = 'text-anchor="middle" fill="#777" font-size="10"'
    return f'<text x="{x:.0f}" y="{y:.0f}" {middle}>{value:,g}</text>'


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
