"""Reads the Lua files of a package."""

from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=256)
def read_lua(package: str, name: str) -> str:
    """Returns the text of `PACKAGE/lua/NAME.lua`; `name` may hold folders ("people/open").

    Raises FileNotFoundError if there is no such file.
    """
    return files(package).joinpath("lua", *f"{name}.lua".split("/")).read_text("utf-8")
