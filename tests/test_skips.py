"""README's test command passes without requirements-dev.txt: what is missing skips by name."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.browser import ROOT

HIDDEN = """
import sys
sys.modules["playwright"] = None
sys.modules["axe_playwright_python"] = None
sys.modules["distributed"] = None
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-m", "browser", "tests"]))
"""


def test_tests_of_a_browser_or_a_cluster_skip_by_name_where_their_library_is_missing():
    environment = {k: v for k, v in os.environ.items() if k != "RAGCHUNK_REQUIRE_ALL"}
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    assert "browser tests need playwright: requirements-dev.txt" in done.stdout
    assert "cluster tests need distributed: requirements-dev.txt" in done.stdout
    assert " passed" not in done.stdout
    assert " failed" not in done.stdout
    assert "error" not in done.stdout
