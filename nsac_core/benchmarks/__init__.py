"""The benchmarks: data, runs of every method and seed, tables and figures beside the paper's."""
