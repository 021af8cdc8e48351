"""FitResult models for other packages: one file each, imported where it is used."""
