"""Example scripts, and the project's tools for verification, research and release. Not in the wheel."""
