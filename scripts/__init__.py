"""Pages to read and run, and the workshop: verification, research and release. Not in the wheel."""
