"""The worlds that are driven, and the geometry of their tracks."""
