"""Sets of threads as boxes: a set of cells on each axis, all of them in one integer.

Each axis has a field of bits, one for each of its cells, and a bit above them that is 0 in a box.
So two boxes are compared by three operations on integers, however many axes there are.
"""

from collections.abc import Sequence

#: A set of cells on each axis.
Box = int

#: An operation on a box of up to so many bits takes about as long as on one of a few bits.
_BITS_AT_ONCE = 2_048


class Boxes:
    """Boxes over axes of so many cells."""

    def __init__(self, widths: Sequence[int]):
        self._shifts: list[int] = []
        #: The field of each bit, as a mask.
        self._fields: list[int] = []
        self._above = 0
        #: The box of all threads.
        self.all = 0
        for width in widths:
            shift = len(self._fields)
            self._shifts.append(shift)
            field = (1 << width) - 1 << shift
            self.all |= field
            self._above |= 1 << shift + width
            self._fields += [field] * (width + 1)
        #: What an operation on a box takes, as a multiple of one on a box of few axes.
        self.cost = 1 + len(self._fields) // _BITS_AT_ONCE

    def within(self, box: Box, axis: int, cells: int) -> Box:
        """What of a box is in these cells of an axis; perhaps nothing."""
        shift = self._shifts[axis]
        field = self._fields[shift]
        return box & (self.all ^ field | cells << shift)

    def has_threads(self, box: Box) -> bool:
        """Whether there is a cell on each axis."""
        # A field that is not 0 carries into the bit above it, and never further.
        return (box + self.all) & self._above == self._above

    def without(self, box: Box, taken: Box) -> list[Box]:
        """The parts of a box that are not in another one with which it has threads in common."""
        parts: list[Box] = []
        outside = box ^ (box & taken)
        while outside:
            field = self._fields[(outside & -outside).bit_length() - 1]
            cut = outside & field
            parts.append(box ^ (box & taken & field))
            # What is left has on this axis what both have.
            box ^= cut
            outside ^= cut
        return parts
