"""Steps a second of hloir.gym, with a random agent: python python/tests/gym_speed.py FILE... (docs/gym.md). By the
process's CPU time, so that what else runs counts less, and by the clock."""

import sys
import time

import numpy as np

import hloir.gym


def measure(path: str, seconds: float = 3) -> None:
    env = hloir.gym.RewriteEnv(path)
    random = np.random.default_rng(0)
    observation, info = env.reset(seed=0)
    steps = nodes = 0
    cpu, clock = time.process_time(), time.perf_counter()
    while time.process_time() - cpu < seconds:
        action = 1 + random.integers(observation["counts"][2])
        observation, reward, terminated, truncated, info = env.step(action)
        steps += 1
        nodes += observation["counts"][0]
        if terminated or truncated:
            observation, info = env.reset()
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    print(f"{path}: {nodes / steps:.0f} instructions on average, {steps / cpu:.0f} steps a second of CPU, "
          f"{steps / clock:.0f} by the clock")


for path in sys.argv[1:]:
    measure(path)
