"""What it takes to measure the library, and nobody needs to use it: comparisons, benchmarks, test problems, records."""
