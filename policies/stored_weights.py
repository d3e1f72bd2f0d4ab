"""How a checkpoint stores numbers."""

from typing import Literal

Weights = Literal["float32", "float16"]
