"""Fixtures shared by the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; skips the test where it does not exist."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no folder of real data (shared/data) beside the project")
    return SHARED_DATA
