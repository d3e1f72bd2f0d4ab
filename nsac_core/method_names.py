"""The names of the uncertainty methods, for whoever need not build one."""

METHOD_NAMES = ("nsac", "gmle", "deep_ensemble", "mc_dropout", "evidential", "sde_net")
"""The keys of ``nsac_core.methods.METHODS``, in the order of tables."""
