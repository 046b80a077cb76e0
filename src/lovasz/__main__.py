"""``python -m lovasz``."""

from lovasz.cli import main

main()
