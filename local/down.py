"""`make down`: stops what `make up` started. Nothing survives it."""

import shutil

from local.servers import MiniStack
from local.up import RUN_DIR


def main() -> None:
    if server := MiniStack.running_in(RUN_DIR):
        server.stop()
    shutil.rmtree(RUN_DIR, ignore_errors=True)


if __name__ == "__main__":
    main()
