"""The names of the non-linearities behind the attention."""

from typing import Literal

Activation = Literal["sigmoid", "relu", "elu", "tanh"]
