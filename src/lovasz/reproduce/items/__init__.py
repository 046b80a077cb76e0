"""One file per table or figure of the paper, and one per experiment beyond it."""
