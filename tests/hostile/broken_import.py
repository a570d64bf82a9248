"""Cannot be loaded."""

raise RuntimeError("this file is broken on purpose")
