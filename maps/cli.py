"""``nsac-maps``: its commands."""

from maps.command_line import Command, run

COMMANDS = {
    "list": Command(
        "maps.config:ListMaps",
        "maps.commands:list_maps",
        "List the maps that come with the package.",
        resumes=False,
    ),
    "show": Command(
        "maps.config:ShowMap",
        "maps.commands:show_map",
        "Describe one map, and draw it.",
        resumes=False,
    ),
    "import": Command(
        "maps.config:ImportMap",
        "maps.commands:import_map",
        "Make a map of a real circuit's centre line.",
        resumes=False,
    ),
}


def main(arguments: list[str] | None = None) -> None:
    """Looks at maps, or makes one; see ``maps.command_line`` for how it ends."""
    run("nsac-maps", "List, show and import maps.", COMMANDS, arguments)
