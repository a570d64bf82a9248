"""Type checks of the JavaScript of pages."""
