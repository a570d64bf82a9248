"""Text of a game for players that read and write: views as messages, replies as moves."""
