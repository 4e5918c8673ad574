"""What to do about a record that cannot be used: stop, or skip it, count it and tell."""

from __future__ import annotations

from arborlink.errors import InputError


class Problems:
    """A policy for invalid records, and the tally of what was skipped.

    Args:
        skip: go on after an invalid record. Without it the first one is raised.
        n_kept: how many errors to keep for the report; all of them are counted.
    """

    def __init__(self, skip: bool = False, n_kept: int = 20) -> None:
        self.skip = skip
        self.n_kept = n_kept
        self.n_skipped = 0
        self.errors: list[InputError] = []

    def found(self, error: InputError) -> None:
        """Raise the error, or note it if this policy skips."""
        if not self.skip:
            raise error
        self.n_skipped += 1
        if len(self.errors) < self.n_kept:
            self.errors.append(error)
