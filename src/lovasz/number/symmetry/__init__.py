"""ϑ of graphs with symmetry: association schemes, characters, and orbits of explicit graphs."""
