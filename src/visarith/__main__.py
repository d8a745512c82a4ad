"""`python -m visarith` is `visarith`."""

import sys

from visarith.cli import main

sys.exit(main())
