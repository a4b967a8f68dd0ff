"""Fixtures shared by the tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# For `make test-fast`: pytest --hypothesis-profile=fast. Tests that name their number of examples keep it.
settings.register_profile("fast", max_examples=25, deadline=None)
settings.register_profile("long", max_examples=3000, deadline=None)

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; skips the test where it does not exist."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no folder of real data (shared/data) beside the project")
    return SHARED_DATA


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the runs of the pipeline first: they are the longest, and another process can do the rest beside them."""
    items.sort(key=lambda item: item.get_closest_marker("end_to_end") is None)
