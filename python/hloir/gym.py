"""Rewriting a module as a Gymnasium environment; docs/gym.md documents observations, actions and rewards.

>>> import gymnasium, hloir.gym
>>> env = gymnasium.make("hloir/Rewrite-v0", passes="algebraic-simplifier", modules='''
... HloModule example
... ENTRY main {
...   x = f32[64] parameter(0)
...   y = f32[64] negate(x)
...   z = f32[64] negate(y)
...   ROOT r = f32[64] add(z, z)
... }''')
>>> observation, info = env.reset(seed=0)
>>> [o.rule for o in env.unwrapped.opportunities()]
['negate-negate', 'add-negate']
"""

from __future__ import annotations

import importlib
import json
import os
from typing import Any, Callable, NamedTuple, Sequence, SupportsFloat, Union

import gymnasium
import numpy as np
from numpy.typing import NDArray

from hloir import verify
from hloir._error import Error
from hloir._hloir import (
    Decisions,
    Module,
    Opportunity,
    _Device,
    _feature_names,
    _measure,
    _opcode_names,
    _parse_text,
    read,
)

__all__ = [
    "FEATURES", "OPCODES", "Graph", "Observation", "RewriteEnv", "VerificationError", "graph_of", "to_jraph", "to_pyg",
]

FEATURES: list[str] = _feature_names()
"""The columns of a node's features."""
OPCODES: list[str] = _opcode_names()
"""The meaning of opcode numbers."""
EDGE_KINDS: list[str] = ["operand", "called", "argument", "control"]

LAPTOP: dict[str, Any] = {"name": "laptop", "bandwidth": 2e10, "flops": {"default": 1e11}, "overhead": 1e-7}
"""A machine for the reward "roofline", by round figures: bytes and FLOPs a second, seconds for each instruction."""

Observation = dict[str, NDArray[Any]]
Reward = Union[str, Callable[[Decisions], float]]
Source = Union[Module, str, "os.PathLike[str]"]


class VerificationError(Error):
    """A step changed the results of the module."""


class Graph(NamedTuple):
    """An observation without its padding. Edge e goes from edges[0, e] to edges[1, e]; those to node n are
    offsets[n]:offsets[n + 1], in the order of operands."""

    nodes: NDArray[np.float32]
    opcodes: NDArray[np.int32]
    types: NDArray[np.int32]
    offsets: NDArray[np.int32]
    edges: NDArray[np.int32]
    edge_kinds: NDArray[np.int32]
    actions: NDArray[np.int32]


def _module(source: Source) -> Module:
    if isinstance(source, Module):
        return source
    if isinstance(source, str) and "\n" in source:
        return _parse_text(source, "<text>")
    return read(os.fspath(source))


def _device_json(device: dict[str, Any] | str | os.PathLike[str]) -> str:
    if isinstance(device, dict):
        return json.dumps(device)
    with open(device, encoding="utf-8") as file:
        return file.read()


class _Sizes(NamedTuple):
    nodes: int
    edges: int
    actions: int


class _Start(NamedTuple):
    """A module at the beginning of an episode."""

    module: Module
    state: Decisions
    cost: float


class RewriteEnv(gymnasium.Env[Observation, np.int64]):
    """A module is rewritten step by step.

    modules: Module objects, paths, or texts; an episode takes one of them: options={"module": K} of reset() says which,
        else chance does.
    passes, math, disable: which rewrites are offered, as for hloir.proposals; "" means all passes of the default
        pipeline.
    reward: what is to shrink: "bytes" (moved), "flops" (and transcendentals), "roofline" (seconds on `device`), "time" (measured seconds, the least of `runs`), or a function of Decisions. The reward of
        a step is how much of the first module's cost it saved.
    device: a dict, or a JSON file, with the fields of docs/cost.md ("hloir cost --device").
    verify: after each step the module is run against the one the episode began with; VerificationError if they differ.
    max_steps: the episode is truncated then. max_nodes, max_edges, max_actions: sizes of the observation's arrays; by
        default twice what the largest of the modules has at the beginning. What would make the module larger is not
        offered; an episode whose module has become larger nevertheless is truncated.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        modules: Source | Sequence[Source],
        *,
        passes: str = "",
        math: str = "exact",
        disable: Sequence[str] = (),
        reward: Reward = "bytes",
        verify: bool = False,
        max_steps: int = 1000,
        max_nodes: int = 0,
        max_edges: int = 0,
        max_actions: int = 0,
        device: dict[str, Any] | str | os.PathLike[str] = LAPTOP,
        runs: int = 5,
        threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        if isinstance(modules, (Module, str, os.PathLike)):
            modules = [modules]
        if not modules:
            raise ValueError("there are no modules")
        if isinstance(reward, str) and reward not in ("bytes", "flops", "roofline", "time"):
            raise ValueError("reward is 'bytes', 'flops', 'roofline', 'time' or a function")
        if render_mode not in (None, "ansi"):
            raise ValueError("render_mode is 'ansi' or None")
        self.render_mode = render_mode
        self._sources = list(modules)
        self._passes, self._math, self._disable = passes, math, list(disable)
        self._reward = reward
        self._verify = verify
        self._max_steps = max_steps
        self._device = _Device(_device_json(device))
        self._runs, self._threads = runs, threads
        self._starts: dict[int, _Start] = {}
        self._sizes = _Sizes(max_nodes, max_edges, max_actions)
        if not all(self._sizes):
            counts = [self._begin(source)._counts() for source in self._sources]
            most = [2 * max(column) + 16 for column in zip(*counts)]
            self._sizes = _Sizes(*(given or found for given, found in zip(self._sizes, most)))
        self.action_space = gymnasium.spaces.Discrete(self._sizes.actions + 1)
        self.observation_space = self._space()
        self._state: Decisions | None = None
        self._steps = 0
        self._cost = 0.0
        self._start: _Start
        self._mask = np.zeros(self._sizes.actions + 1, np.int8)

    def _begin(self, source: Source) -> Decisions:
        return Decisions(_module(source), self._passes, self._math, self._disable, self._sizes.nodes)

    def _space(self) -> Any:
        nodes, edges, actions = self._sizes

        def whole(low: int, high: int, *shape: int) -> gymnasium.spaces.Box:
            return gymnasium.spaces.Box(low, high, shape, np.int32)

        large = np.iinfo(np.int32).max
        return gymnasium.spaces.Dict({
            "nodes": gymnasium.spaces.Box(0, 1024, (nodes, len(FEATURES)), np.float32),
            "opcodes": whole(0, len(OPCODES) - 1, nodes),
            "types": whole(0, 255, nodes),
            "offsets": whole(0, edges, nodes + 1),
            "edges": whole(0, nodes - 1, 2, edges),
            "edge_kinds": whole(0, large, edges, 2),
            "actions": whole(-1, large, actions, 4),
            "counts": whole(0, large, 3),
            "action_mask": gymnasium.spaces.Box(0, 1, (actions + 1,), np.int8),
        })

    # ---- Gymnasium

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        which = (options or {}).get("module")
        which = int(self.np_random.integers(len(self._sources))) if which is None else int(which)
        if not 0 <= which < len(self._sources):
            raise ValueError(f"there are {len(self._sources)} modules; there is no module {which}")
        if which not in self._starts:
            module = _module(self._sources[which])
            state = self._begin(module)
            self._starts[which] = _Start(module, state, self._cost_of(state))
        self._start = self._starts[which]
        self._state = self._start.state.clone()
        self._steps = 0
        self._cost = self._start.cost
        return self._observe(), {"module": which, "cost": self._cost}

    def step(self, action: np.int64 | int) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """0 ends the episode; k takes opportunity k - 1. Masked actions have no effect."""
        state = self.decisions
        taken = int(action)
        self._steps += 1
        info: dict[str, Any] = {"rewrite": "", "invalid": False}
        saved = 0.0
        terminated = taken == 0
        if not terminated and not self._mask[taken]:
            info["invalid"] = True
        elif not terminated:
            info["rewrite"] = state.id(taken - 1)
            state.take(taken - 1)
            cost = self._cost_of(state)
            saved = (self._cost - cost) / self._start.cost if self._start.cost else 0.0
            self._cost = cost
            if self._verify:
                self._check(info["rewrite"])
        info["cost"] = self._cost
        observation = self._observe()
        nodes, edges, open_rewrites = observation["counts"].tolist()
        too_large = nodes > self._sizes.nodes or edges > self._sizes.edges
        truncated = not terminated and (too_large or self._steps >= self._max_steps)
        return observation, saved, terminated or not open_rewrites, truncated, info

    def render(self) -> Any:
        """The module as text."""
        return str(self.module) if self.render_mode == "ansi" else None

    # ---- beyond it

    @property
    def decisions(self) -> Decisions:
        """The module of the episode and its open rewrites; taking rewrites directly bypasses the environment."""
        if self._state is None:
            raise gymnasium.error.ResetNeeded("reset() comes first")
        return self._state

    @property
    def module(self) -> Module:
        """A copy of the current module."""
        return self.decisions.module()

    @property
    def kinds(self) -> list[tuple[str, str, str]]:
        """The meaning of the first column of "actions": pass, rule and formula."""
        return self._begin(self._sources[0]).kinds if self._state is None else self._state.kinds

    def opportunities(self) -> list[Opportunity]:
        """The rewrites of the actions from 1 on."""
        return self.decisions.opportunities()

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions do something."""
        return self._mask.astype(np.bool_)

    # ---- inside

    def _cost_of(self, state: Decisions) -> float:
        if not isinstance(self._reward, str):
            return float(self._reward(state))
        if self._reward == "time":
            return min(_measure(state.module(), self._runs, self._threads, 0, 60))
        if self._reward == "roofline":
            return state._roofline(self._device)
        flops, transcendentals, moved = state.costs()
        return moved if self._reward == "bytes" else flops + transcendentals

    def _check(self, rewrite: str) -> None:
        verdict = verify(self._start.module, self.module)
        if not verdict:
            raise VerificationError(f"after {rewrite}: {verdict}")

    def _observe(self) -> Observation:
        nodes, edges, actions = self._sizes
        seen: Observation = {
            "nodes": np.zeros((nodes, len(FEATURES)), np.float32),
            "opcodes": np.zeros(nodes, np.int32),
            "types": np.zeros(nodes, np.int32),
            "offsets": np.zeros(nodes + 1, np.int32),
            "edges": np.zeros((2, edges), np.int32),
            "edge_kinds": np.zeros((edges, 2), np.int32),
            "actions": np.zeros((actions, 4), np.int32),
            "counts": np.zeros(3, np.int32),
            "action_mask": np.zeros(actions + 1, np.int8),
        }
        self.decisions._observe(*seen.values())
        self._mask = seen["action_mask"]
        return seen


def graph_of(observation: Observation) -> Graph:
    """The observation without its padding; its arrays are views."""
    nodes, edges, actions = (int(count) for count in observation["counts"])
    nodes = min(nodes, len(observation["nodes"]))
    edges = int(observation["offsets"][-1])
    return Graph(
        observation["nodes"][:nodes], observation["opcodes"][:nodes], observation["types"][:nodes],
        observation["offsets"][: nodes + 1], observation["edges"][:, :edges], observation["edge_kinds"][:edges],
        observation["actions"][:actions],
    )


def to_pyg(observation: Observation) -> Any:
    """A torch_geometric.data.Data: x, edge_index, edge_attr, opcode, type, actions."""
    torch: Any = importlib.import_module("torch")
    pyg: Any = importlib.import_module("torch_geometric.data")
    graph = graph_of(observation)
    return pyg.Data(
        x=torch.from_numpy(graph.nodes),
        edge_index=torch.from_numpy(graph.edges).long(),
        edge_attr=torch.from_numpy(graph.edge_kinds),
        opcode=torch.from_numpy(graph.opcodes).long(),
        type=torch.from_numpy(graph.types).long(),
        actions=torch.from_numpy(graph.actions).long(),
    )


def to_jraph(observation: Observation) -> Any:
    """A jraph.GraphsTuple of one graph; nodes and edges are dicts of arrays, the actions are its globals."""
    jraph: Any = importlib.import_module("jraph")
    graph = graph_of(observation)
    return jraph.GraphsTuple(
        nodes={"features": graph.nodes, "opcodes": graph.opcodes, "types": graph.types},
        edges={"kinds": graph.edge_kinds},
        senders=graph.edges[0],
        receivers=graph.edges[1],
        n_node=np.array([len(graph.nodes)], np.int32),
        n_edge=np.array([graph.edges.shape[1]], np.int32),
        globals=graph.actions[None],
    )


gymnasium.register("hloir/Rewrite-v0", entry_point="hloir.gym:RewriteEnv", max_episode_steps=None)
