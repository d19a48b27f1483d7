"""What of an arena is seen from where."""


def seen_goals(renderer, scene):
    """How many good goals are in the agent's view, looked at through glass too."""
    shown = set(renderer.channels(scene, see_through=True).instance.flat)
    return sum(
        index in shown and thing.kind.startswith("GoodGoal") for index, thing in enumerate(scene.things)
    )
