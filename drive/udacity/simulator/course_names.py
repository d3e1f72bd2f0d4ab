"""The names of the stand-in's two roads."""

from typing import Literal

CourseName = Literal["lake", "jungle"]
