"""What every part may use: checks, errors, memory, extras, arrays."""
