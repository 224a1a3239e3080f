"""Episodes of hloir.gym on all cores of one machine or, by Ray, of many.

>>> import hloir.rollouts
>>> def first(observation, random):
...     return 1
>>> def anything(observation, random):
...     return random.choice(observation["action_mask"].nonzero()[0])
>>> text = '''
... HloModule example
... ENTRY main {
...   x = f32[64] parameter(0)
...   y = f32[64] negate(x)
...   z = f32[64] negate(y)
...   ROOT r = f32[64] add(z, z)
... }'''
>>> [episode.rewrites for episode in hloir.rollouts.rollouts(first, text, episodes=1)]
[['algebraic-simplifier/negate-negate@main/z']]
"""

from __future__ import annotations

import dataclasses
import importlib
import os
from typing import Any, Callable, Iterator, Sequence

import numpy as np

import hloir
from hloir.gym import Observation, RewriteEnv, Source

__all__ = ["Episode", "Policy", "rollouts"]

Policy = Callable[[Observation, np.random.Generator], Any]
"""Says which action comes next: an index that the observation's "action_mask" allows."""


@dataclasses.dataclass
class Episode:
    """The result of an episode. module: its index; saved: the sum of rewards, relative to the initial cost of the module."""

    number: int
    module: int
    actions: list[int]
    rewards: list[float]
    rewrites: list[str]
    first_cost: float
    last_cost: float
    node: str = ""

    @property
    def saved(self) -> float:
        return sum(self.rewards)


class _Player:
    """Plays on modules as texts, as these can be sent."""

    def __init__(
        self, policy: Policy, modules: Sequence[str], options: dict[str, Any], setup: Callable[[], object] | None = None
    ) -> None:
        if setup is not None:
            setup()
        self._policy = policy
        self._env = RewriteEnv(list(modules), **options)

    def play(self, number: int, module: int, seed: int) -> Episode:
        random = np.random.default_rng([seed, number])
        observation, info = self._env.reset(seed=int(random.integers(2**31)), options={"module": module})
        episode = Episode(number, module, [], [], [], info["cost"], info["cost"])
        done = not observation["counts"][2]
        while not done:
            action = int(self._policy(observation, random))
            observation, reward, terminated, truncated, info = self._env.step(action)
            done = terminated or truncated
            episode.actions.append(action)
            episode.rewards.append(float(reward))
            episode.rewrites.append(info["rewrite"])
            episode.last_cost = info["cost"]
        return episode


def _text(source: Source) -> str:
    if isinstance(source, str) and "\n" in source:
        return source
    return str(source if isinstance(source, hloir.Module) else hloir.read(os.fspath(source)))


def rollouts(
    policy: Policy,
    modules: Source | Sequence[Source],
    *,
    episodes: int,
    seed: int = 0,
    address: str | None = None,
    workers: int = 0,
    setup: Callable[[], object] | None = None,
    **options: Any,
) -> Iterator[Episode]:
    """Plays episodes, the modules in turn, and gives each as it ends.

    policy: gets the observation and a random generator of the episode's own; by Ray it is sent to the workers.
    address: None plays here, in this thread; else that of a Ray cluster's head ("auto" finds it, "local" makes one of
        this machine's cores). Workers need Python as it is here, with numpy, ml_dtypes and gymnasium; hloir itself is
        sent to them.
    workers: environments at a time; 0: one for each CPU of the cluster.
    setup: called first in each of Ray's workers (and not here): registers what rules and passes of one's own `passes`
        names. It is sent to them, and makes the rules itself.
    options: RewriteEnv's.

    The same seed gives the same episodes, whoever plays them; by Ray, in the order in which they end.
    """
    if isinstance(modules, (hloir.Module, str, os.PathLike)):
        modules = [modules]
    texts = [_text(source) for source in modules]
    if address is None:
        player = _Player(policy, texts, options)
        for number in range(episodes):
            yield player.play(number, number % len(texts), seed)
        return
    yield from _by_ray(policy, texts, options, episodes, seed, address, workers, setup)


def _by_ray(
    policy: Policy, texts: list[str], options: dict[str, Any], episodes: int, seed: int, address: str, workers: int,
    setup: Callable[[], object] | None,
) -> Iterator[Episode]:
    ray: Any = importlib.import_module("ray")

    began = not ray.is_initialized()
    if began:
        package = os.path.dirname(os.path.abspath(hloir.__file__))
        ray.init(
            address=None if address == "local" else address,
            runtime_env={"py_modules": [package]},
            include_dashboard=False if address == "local" else None,
            log_to_driver=False,
        )

    class Player(_Player):
        def play(self, number: int, module: int, seed: int) -> Episode:
            episode = super().play(number, module, seed)
            episode.node = ray.get_runtime_context().get_node_id()
            return episode

    try:
        count = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        # Spread over the machines. What an actor played when its machine went down is played again elsewhere.
        actor = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD")(Player)
        players = [actor.remote(policy, texts, options, setup) for _ in range(min(count, episodes))]
        waiting = iter(range(episodes))
        running: dict[Any, Any] = {}
        for player in players:
            number = next(waiting)
            running[player.play.remote(number, number % len(texts), seed)] = player
        while running:
            [ended], _ = ray.wait(list(running), num_returns=1)
            player = running.pop(ended)
            next_number = next(waiting, None)
            if next_number is not None:
                running[player.play.remote(next_number, next_number % len(texts), seed)] = player
            yield ray.get(ended)
    finally:
        if began:
            ray.shutdown()
