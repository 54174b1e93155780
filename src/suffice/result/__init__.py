"""What a run found: the best point, predictions, importance, diagnostics, and how they are printed."""
