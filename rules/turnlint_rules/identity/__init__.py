"""Rules about the IDs of calls, results and items."""
