"""Fixtures shared by the tests."""

from __future__ import annotations

import logging
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# pytest --hypothesis-profile=fast, as `make test-fast`, or long. Tests that name their number of examples keep it.
for profile, examples in {"usual": 60, "fast": 25, "long": 3000}.items():
    settings.register_profile(profile, max_examples=examples, deadline=None)
settings.load_profile("usual")

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; skips the test where it does not exist."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no folder of real data (shared/data) beside the project")
    return SHARED_DATA


@pytest.fixture
def run_script(monkeypatch, caplog) -> Callable[..., str | int | None]:
    """Run a script as its command does, but in this process; what it exits with: None, or what it says of a mistake."""

    def run(name: str, *arguments: object) -> str | int | None:
        caplog.set_level(logging.INFO)
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(str(ROOT / "scripts" / f"{name}.py"), run_name="__main__")
        return end.value.code

    return run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the runs of the pipeline first: they are the longest, and another process can do the rest beside them."""
    items.sort(key=lambda item: item.get_closest_marker("end_to_end") is None)
