"""Words: texts counted, vocabularies read and written."""
