"""Rules of one group, one module each."""
