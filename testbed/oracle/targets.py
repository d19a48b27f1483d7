"""Target order: the most balls before the one that ends the episode."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, connected_components, dijkstra

from arena.scene import Floats, Scene
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Ends
from testbed.oracle.cost_map import Ball, CostMap
from testbed.oracle.terrain import Bools, Ints


def balls(scene: Scene) -> list[Ball]:
    """Return the visible balls, good and bad."""
    found = []
    for index, thing in enumerate(scene.things):
        kind = KINDS[thing.kind]
        if kind.is_goal and scene.visible[index]:
            ends = kind.ends is Ends.ALWAYS
            diameter = float(scene.sizes[index][0])
            found.append(Ball(index, scene.positions[index], diameter, kind.reward, ends))
    return found


class Regions:
    """Strongly connected regions of the ground, with some balls avoided. No path leads back to one."""

    def __init__(self, costs: CostMap, avoided: Sequence[Ball]) -> None:
        self.price = costs.avoiding(avoided)
        self.graph = costs.terrain.graph(costs.terrain.edge_means(self.price)).T.tocsr()
        _, self.label = connected_components(self.graph, connection="strong")
        self.sizes = np.bincount(self.label)


class Choice:
    """Reachable balls of a node, by strongly connected regions."""

    def __init__(self, costs: CostMap, regions: Regions, found: Sequence[Ball]) -> None:
        """Take `regions` that avoid every ball that ends the episode."""
        self._costs = costs
        self._found, self.region = regions, regions.label
        self.good = [ball for ball in found if ball.worth > 0]
        self._targets = {ball.index: self._nodes(ball, regions.price) for ball in self.good}

    def _nodes(self, ball: Ball, price: Floats) -> Ints:
        """Return the nodes that touch a ball. If it must be avoided until then, they are next to it."""
        near = np.flatnonzero(self._costs.touching(ball, 0.6)) if ball.ends else self._costs.targets(ball)
        return near[np.isfinite(price[near])]

    @cached_property
    def regions(self) -> dict[int, list[Ball]]:
        """The balls that are touched from each region. Regions of fewer than 12 nodes, edges over which the
        agent falls, count if there is no larger one."""
        found: dict[int, list[Ball]] = {}
        for ball in self.good:
            labels = np.unique(self.region[self._targets[ball.index]])
            big = [label for label in labels if self._found.sizes[label] >= 12]
            for label in big or list(labels):
                found.setdefault(int(label), []).append(ball)
        return found

    def reached(self, node: int) -> Bools:
        """Return the nodes that can be reached from a node."""
        mask = np.zeros(len(self.region), bool)
        mask[breadth_first_order(self._found.graph, node, return_predecessors=False)] = True
        return mask

    def next_balls(self, node: int) -> tuple[list[Ball], Ints]:
        """Return the balls to aim at, and the nodes to go to. Both are empty if none can be reached from the
        node. The order of at most seven regions is optimised."""
        labels = set(np.unique(self.region[self.reached(node)]))
        onward = sorted(label for label in self.regions if label in labels)[:7]
        if not onward:
            return [], np.array([], dtype=np.intp)
        here = int(self.region[node])
        more = any(not ball.ends for ball in self.regions.get(here, []))
        label = here if more else self._best(onward, node)
        multi = [ball for ball in self.regions[label] if not ball.ends]
        most = max(ball.reward for ball in self.regions[label])
        chosen = multi or [ball for ball in self.regions[label] if ball.reward == most]
        nodes = [self._costs.targets(ball) for ball in chosen]
        inside = [n[self.region[n] == label] for n in nodes] if multi else nodes
        return chosen, np.unique(np.concatenate(inside if any(map(len, inside)) else nodes))

    def _cost(self, label: int, paths: Floats) -> float:
        """Cost of the path to the nearest ball of a region. `paths` (n,) are the costs to every node."""
        nodes = np.concatenate([self._targets[ball.index] for ball in self.regions[label]])
        return float(paths[nodes[self.region[nodes] == label]].min(initial=np.inf))

    def _best(self, onward: Sequence[int], node: int) -> int:
        """Return the region to enter first. It leads to the highest total reward, then the lowest cost."""
        if len(onward) == 1:
            return onward[0]
        paths = dijkstra(self._found.graph, indices=node)
        cost = {label: self._cost(label, paths) for label in onward}
        leads = {}
        for label in onward:
            mask = self.reached(int(np.flatnonzero(self.region == label)[0]))
            leads[label] = [
                other for other in onward if other != label and (mask & (self.region == other)).any()
            ]

        def worth(label: int, taken: frozenset[int]) -> float:
            multi = [b for b in self.regions[label] if not b.ends and b.index not in taken]
            gain = sum(b.reward for b in multi)
            last = max((b.reward for b in self.regions[label] if b.ends), default=0.0)
            after = taken | {b.index for b in multi}
            return gain + max([last, *(worth(other, after) for other in leads[label])])

        def leads_on(label: int) -> bool:
            """Return whether a region is worth entering only for later ones."""
            here = self.regions[label]
            most = max((ball.reward for ball in here if ball.ends), default=0.0)
            return all(ball.ends for ball in here) and most < worth(label, frozenset())

        def merit(label: int) -> tuple[float, bool, int, float]:
            return worth(label, frozenset()), not leads_on(label), len(leads[label]), -cost[label]

        return max(onward, key=merit)
