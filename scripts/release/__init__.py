"""Release: tables and site of the documentation, notebooks, pictures, the check of the demo and of the wheel."""
