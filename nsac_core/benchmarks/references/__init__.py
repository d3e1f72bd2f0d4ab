"""Regressors that anybody would try first, each with the uncertainty it has; one registry."""

from nsac_core.benchmarks.references.bearings import BEARINGS
from nsac_core.benchmarks.references.constant import CONSTANT
from nsac_core.benchmarks.references.forecasting import FORECASTING
from nsac_core.benchmarks.references.reference import Predictor, Reference, prediction_of_arrays
from nsac_core.benchmarks.references.tabular import TABULAR

__all__ = ["REFERENCES", "Predictor", "Reference", "prediction_of_arrays"]

REFERENCES: dict[str, Reference] = {"constant": CONSTANT, **BEARINGS, **FORECASTING, **TABULAR}
"""All there are, by name, in the order of tables; an experiment says which of them it takes."""
