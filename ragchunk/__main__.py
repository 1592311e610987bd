"""`python -m ragchunk FOLDER`: the pipeline in a terminal."""

import sys

from ragchunk.terminal import run

if __name__ == "__main__":
    sys.exit(run())
