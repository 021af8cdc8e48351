"""Classes with the interfaces of other packages, for code that was written for those."""
