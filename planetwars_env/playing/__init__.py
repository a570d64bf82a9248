"""Playing by hand: a page in the browser and a terminal, both over one `LiveGame`."""
