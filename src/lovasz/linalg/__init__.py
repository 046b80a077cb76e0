"""Linear algebra that no library offers in the form needed here."""
