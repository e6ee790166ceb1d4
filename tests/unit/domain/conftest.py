"""How Hypothesis works here: no deadline, for the machine may be busy with something else."""

from hypothesis import settings

settings.register_profile("busy machine", deadline=None)
settings.load_profile("busy machine")
