"""``lovasz label``: a web app on this machine that asks a person for the labels worth most."""
