"""What the settings of NSAC do: heads, sparsity, keys by length, draws, perturbation."""
