"""Drawings of games, as text, pictures, video and pages; they hold no rule of the game."""
