"""Rules and kernels of the library as their registries list them, with the numbers they declare."""

from rosenblatt import rules


def of_kind(*kinds):
    """Classes of the rules of these kinds."""
    return [cls for cls in rules.RULES.values() if cls.declaration.kind in kinds]


def tried(*kinds):
    """A rule of each class of these kinds, by name, with the fields that suit small rows."""
    return {cls.declaration.name: cls(*cls.declaration.tried) for cls in of_kind(*kinds)}
