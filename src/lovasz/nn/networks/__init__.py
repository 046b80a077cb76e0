"""The networks that the engine trains."""
