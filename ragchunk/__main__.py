"""`python -m ragchunk FOLDER`: the same pipeline in a terminal."""

import sys

from ragchunk.terminal import run

if __name__ == "__main__":
    sys.exit(run())
