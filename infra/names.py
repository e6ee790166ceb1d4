"""Names of constructs made from names of the domain."""


def pascal(name: str) -> str:
    """`call_centre-1` becomes `CallCentre1`."""
    return "".join(part.capitalize() for part in name.replace("_", "-").split("-"))
