"""Boxes are what sets of cells on each axis are, whatever their number and their widths."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from scoring.sorting.boxes import Boxes

widths_and_cells = st.lists(st.integers(1, 4), min_size=1, max_size=4).flatmap(
    lambda widths: st.tuples(
        st.just(widths),
        *(st.tuples(*(st.integers(0, 2**width - 1) for width in widths)) for _ in range(2)),
    )
)


def made(boxes, cells):
    box = boxes.all
    for axis, mask in enumerate(cells):
        box = boxes.within(box, axis, mask)
    return box


def threads(widths, boxes, box):
    """The threads of a box, each as the number of its cell on each axis."""
    single = product(*map(range, widths))
    found = {cells: made(boxes, [1 << cell for cell in cells]) for cells in single}
    return {cells for cells, thread in found.items() if boxes.has_threads(box & thread)}


def of_cells(widths, cells):
    return {
        each
        for each in product(*map(range, widths))
        if all(mask >> cell & 1 for mask, cell in zip(cells, each, strict=True))
    }


@given(widths_and_cells)
def test_a_box_has_the_threads_that_are_in_its_cells_on_each_axis(given_cells):
    widths, one, other = given_cells
    boxes = Boxes(widths)
    both = made(boxes, one) & made(boxes, other)
    expected = of_cells(widths, one) & of_cells(widths, other)
    assert boxes.has_threads(both) == bool(expected)
    assert threads(widths, boxes, both) == expected


@given(widths_and_cells)
def test_what_is_left_of_a_box_is_in_parts_that_have_nothing_in_common(given_cells):
    widths, one, other = given_cells
    boxes = Boxes(widths)
    box, taken = made(boxes, one), made(boxes, other)
    if not boxes.has_threads(box & taken):
        return
    parts = [threads(widths, boxes, part) for part in boxes.without(box, taken)]
    assert all(parts)
    assert sum(map(len, parts)) == len(set().union(*parts))
    assert set().union(*parts) == of_cells(widths, one) - of_cells(widths, other)
