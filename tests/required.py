"""Whether what requirements-dev.txt brings has to be there, or tests that need it may skip."""

from __future__ import annotations

import os


def required() -> bool:
    """Whether a missing browser or library is a failure, as in CI, and not a reason to skip."""
    return os.environ.get("RAGCHUNK_REQUIRE_ALL") == "1"
