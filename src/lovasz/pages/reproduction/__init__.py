"""The page of a reproduction: sections of tables and pictures as HTML and as Markdown."""
