"""Everything that becomes HTML, with the templates beside the code."""
