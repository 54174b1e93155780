"""python -m research.compare: head to head with other optimizers."""

import sys

from research.compare.command import main

if __name__ == "__main__":
    sys.exit(main())
