"""The application: ingest, storage, ordering, push and HTTP."""

from pathlib import Path

#: The folder of the packages, which holds static/, templates/ and migrations/, too.
ROOT = Path(__file__).resolve().parents[1]
#: Whether these are files of a checkout, and not an installed wheel.
IS_CHECKOUT = (ROOT / "pyproject.toml").is_file()
#: What people type before the name of a command.
PROGRAM = "python app.py" if IS_CHECKOUT else "lineup"
