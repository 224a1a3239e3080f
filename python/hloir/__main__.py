"""python -m hloir is the command hloir."""

import sys

from hloir._hloir import _main

sys.exit(_main(["hloir", *sys.argv[1:]]))
