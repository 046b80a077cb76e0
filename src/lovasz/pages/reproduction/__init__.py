"""The reproduction page: sections of tables and pictures, as HTML and as Markdown."""
