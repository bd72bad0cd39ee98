"""Charts of results as SVG, drawn by hand: bars on a scale of powers of ten."""

import math
from html import escape

WIDTH = 760
_LABEL, _ROW, _TOP = 300, 22, 72
_COLOURS = {"lineup": "#2563eb", "recipe": "#c2410c", "recipe, gathering": "#ea8a4b"}
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


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
