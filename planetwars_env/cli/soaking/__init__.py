"""Long random play under audit: what is drawn, a stretch of it, and the log of all stretches."""
