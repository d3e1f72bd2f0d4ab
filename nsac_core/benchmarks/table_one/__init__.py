"""The paper's Table 1 from our runs: ten data sets, six methods, five metrics."""
