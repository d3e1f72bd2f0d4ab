"""The report of inspected laps: one page in which everything moves with one slider."""
