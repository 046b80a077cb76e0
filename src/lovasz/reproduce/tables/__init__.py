"""Our numbers beside the published ones, as tables and sentences."""
