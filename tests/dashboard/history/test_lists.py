"""Any list at any moment is the list that was shown: ids, scores, total and rows."""

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.dashboard.history.desk import ACTS, HistoryDesk


@pytest.fixture
def new_desk(tmp_path, sqlite_at_head):
    return lambda: HistoryDesk(tmp_path, sqlite_at_head)


#: Each example records some 700 lists. Without the gate's profile there is time for more.
EXAMPLES = 6 if settings.get_current_profile_name() == "gate" else 100


@settings(max_examples=EXAMPLES, phases=[Phase.generate])
@given(acts=st.lists(ACTS, min_size=25, max_size=35))
def test_lists_are_as_they_were_shown(new_desk, acts):
    with new_desk() as desk:
        for act in acts:
            desk.do(*act)
            desk.record()
        desk.compare()
