"""Whether a text shows anything to a reader."""

import regex

#: Characters that leave no mark: white space, those that Unicode calls default ignorable
#: (zero-width characters, joiners, bidirectional controls, fillers, tags, variation selectors), and
#: those blank by name or purpose: Braille blank, interlinear marks, hieroglyph controls and blanks,
#: a null notehead, and the Khitan filler.
_UNSEEN = (
    r"\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}"
    r"\u2800\uFFF9-\uFFFB\U00013430-\U0001343F\U00013441\U00013442\U0001D159\U00016FE4"
)
_SEEN = regex.compile(f"[^{_UNSEEN}]")
#: The same without the blank that separates words.
_HIDDEN = regex.compile(f"(?! )[{_UNSEEN}]")


def shows_something(text: str) -> bool:
    """Whether a character of the text leaves a mark on the screen."""
    return _SEEN.search(text) is not None


def hides_something(text: str) -> bool:
    """Whether a character of the text, other than a blank, leaves no mark on the screen."""
    return _HIDDEN.search(text) is not None
