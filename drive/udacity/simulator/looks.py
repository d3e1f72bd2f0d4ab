"""How the two courses look: colours, hills, plants, light. RGB throughout."""

from dataclasses import dataclass

from drive.udacity.simulator.course_names import CourseName

Rgb = tuple[int, int, int]


@dataclass(frozen=True)
class Look:
    """Colours and shapes of a landscape; lengths in metres.

    Attributes:
        zenith: Sky at the top of a frame.
        sky: Sky at the horizon.
        haze: What the distance fades to.
        haze_length: Over which it has faded to 1/e.
        sun: Direction towards it: east, north, up (any length).
        shadow: Light that is left in shadows, 0 to 1.
        hill_shadows: Longest shadow that hills cast.
        grounds: Of the soil beside the road, from low to high.
        slope: Of steep ground.
        water: Of the lake.
        lake: Share of the land within the lap that is water, 0 to 1.
        hills: Height of the highest hills.
        foot: Distance from the centre line at which hills begin.
        rise: Distance over which they reach their height.
        nearest: Least distance of plants from the centre line.
        trees: Trees to a hectare.
        bushes: Bushes to a hectare.
        leaves: Colours of plants.
        asphalt: Of the road.
        line: Of the lines at the road's edges.
        shoulders: Left and right of the road.
        centre_line: Whether a dashed line divides the road.
    """

    zenith: Rgb
    sky: Rgb
    haze: Rgb
    haze_length: float
    sun: tuple[float, float, float]
    shadow: float
    hill_shadows: float
    grounds: tuple[Rgb, Rgb, Rgb]
    slope: Rgb
    water: Rgb
    lake: float
    hills: float
    foot: float
    rise: float
    nearest: float
    trees: float
    bushes: float
    leaves: tuple[Rgb, ...]
    asphalt: Rgb
    line: Rgb
    shoulders: tuple[Rgb, Rgb]
    centre_line: bool


LAKE_LOOK = Look(
    zenith=(92, 118, 160),
    sky=(205, 232, 246),
    haze=(186, 208, 220),
    haze_length=700.0,
    sun=(-0.6, -0.55, 0.6),
    shadow=0.75,
    hill_shadows=0.0,
    grounds=((188, 150, 92), (206, 178, 96), (226, 212, 120)),
    slope=(206, 186, 148),
    water=(128, 160, 188),
    lake=0.35,
    hills=22.0,
    foot=9.0,
    rise=45.0,
    nearest=7.5,
    trees=110.0,
    bushes=90.0,
    leaves=((74, 78, 30), (58, 66, 34), (104, 96, 44), (44, 54, 30)),
    asphalt=(112, 113, 103),
    line=(180, 162, 66),
    shoulders=((142, 144, 132), (214, 202, 168)),
    centre_line=False,
)

JUNGLE_LOOK = Look(
    zenith=(120, 150, 176),
    sky=(226, 230, 216),
    haze=(196, 206, 188),
    haze_length=260.0,
    sun=(0.55, -0.5, 0.6),
    shadow=0.45,
    hill_shadows=40.0,
    grounds=((104, 96, 52), (84, 104, 44), (66, 92, 40)),
    slope=(112, 108, 66),
    water=(90, 110, 100),
    lake=0.0,
    hills=38.0,
    foot=6.5,
    rise=24.0,
    nearest=6.0,
    trees=420.0,
    bushes=260.0,
    leaves=((40, 84, 28), (58, 104, 36), (30, 66, 30), (86, 120, 44)),
    asphalt=(84, 86, 92),
    line=(226, 226, 218),
    shoulders=((112, 104, 74), (112, 104, 74)),
    centre_line=True,
)

LOOKS: dict[CourseName, Look] = {"lake": LAKE_LOOK, "jungle": JUNGLE_LOOK}
