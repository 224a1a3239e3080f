"""The command hloir: `hloir` where the package is installed, or python -m hloir."""

import sys

from hloir._hloir import _main


def main() -> int:
    return _main(["hloir", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
