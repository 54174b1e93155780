"""`python -m suffice` is the command `suffice`."""

import sys

from suffice.cli import main

if __name__ == "__main__":
    sys.exit(main())
