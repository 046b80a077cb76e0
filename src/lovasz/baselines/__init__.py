"""Methods that exist to be compared with: GPNN, graph attention, SPORE, learned edge weights."""
