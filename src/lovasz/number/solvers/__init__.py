"""One file per solver. A solver only has to come close; :mod:`lovasz.number.proofs` does the
rest."""
