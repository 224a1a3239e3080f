"""The command hloir: `hloir` where the package is installed, or python -m hloir."""

import sys

from hloir._devices import use_for_the_command
from hloir._hloir import _main


def main() -> int:
    use_for_the_command()
    return _main(["hloir", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
