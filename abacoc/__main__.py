"""`python -m abacoc` is the command line."""

import sys

from abacoc.cli import main

sys.exit(main())
