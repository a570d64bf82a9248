"""Release: tables and site of the documentation, notebooks, pictures, checks of the demo and of the wheel."""
