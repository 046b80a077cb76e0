"""Tables that show our numbers beside the published ones, and sentences about them."""
