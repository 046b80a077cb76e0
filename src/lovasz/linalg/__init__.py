"""Linear algebra that no library ships in the form needed here."""
