"""Builds the wheel: its dependencies, and the page that `make setup` built."""

import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

#: Packages of requirements.txt that only tests need.
FOR_TESTS = ("fakeredis", "pytest")


class Dependencies(MetadataHookInterface):
    """Takes the dependencies from requirements.txt."""

    def update(self, metadata: dict[str, Any]) -> None:
        lines = (Path(self.root) / "requirements.txt").read_text(encoding="utf-8").splitlines()
        metadata["dependencies"] = [
            line for line in lines if line and not line.startswith(("#", *FOR_TESTS))
        ]


class Page(BuildHookInterface[Any]):
    """Adds the files of the page's last build; older ones stay in static/build for a week."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = Path(self.root) / "static" / "build"
        try:
            files = json.loads((folder / "manifest.json").read_bytes())["files"].values()
        except FileNotFoundError:
            raise SystemExit("The page is not built: `make setup` builds it.") from None
        found = [path for name in files for path in folder.glob(f"{name}*")]
        build_data["force_include"] |= {
            str(path): path.relative_to(self.root).as_posix()
            for path in (folder / "manifest.json", *found)
        }


def get_metadata_hook() -> type[MetadataHookInterface]:
    return Dependencies


def get_build_hook() -> type[BuildHookInterface[Any]]:
    return Page
