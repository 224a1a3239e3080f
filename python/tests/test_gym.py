"""hloir.gym, hloir.rollouts and hloir.dataset: python python/tests/test_gym.py; needs gymnasium and pyarrow."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import hloir
import hloir.gym
import hloir.rollouts
from hloir import match as m

CHAIN = """HloModule chain
ENTRY main {
  x = f32[64] parameter(0)
  y = f32[64] negate(x)
  z = f32[64] negate(y)
  again = f32[64] negate(y)
  s = f32[64] add(z, again)
  ROOT r = f32[64] multiply(s, x)
}"""
LOOP = """HloModule loop
cond { c = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(3)
  ROOT less = pred[] compare(i, n), direction=LT }
body { c = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = f32[16] get-tuple-element(c), index=1
  y = f32[16] multiply(x, x)
  ROOT t = (s32[], f32[16]) tuple(j, y) }
ENTRY main {
  zero = s32[] constant(0)
  x = f32[16] parameter(0)
  start = (s32[], f32[16]) tuple(zero, x)
  w = (s32[], f32[16]) while(start), condition=cond, body=body
  ROOT r = f32[16] get-tuple-element(w), index=1
}"""


@hloir.rule(m.add(m.any("a"), m.same("a")), "A + A => A * 2")
def add_twice(b, i, a):
    return b.multiply(a, b.splat(2, i.shape))


@hloir.rule(m.sine(m.any("a")), "sine(A) fails")
def fails(b, i, a):
    raise ZeroDivisionError("in a rule")


def negate_less(module):
    """-(-A) => A, everywhere"""
    before = module.instruction_count
    for computation in module.computations:
        for i in computation.instructions:
            if i.opcode == "negate" and i.operands[0].opcode == "negate" and i is not computation.root:
                i.replace_all_uses_with(i.operands[0].operands[0])
    hloir.optimize(module, "dce")
    return module.instruction_count < before


def mark(module):
    """A target is another: an attribute is set, and nothing else."""
    found = [i for i in module.entry if i.opcode == "custom-call" and i["custom_call_target"] == "elsewhere"]
    for i in found:
        i["custom_call_target"] = "cufft"
    return bool(found)


hloir.register_rules("gym-rules", [add_twice])
hloir.register_pass("gym-mark", mark)
hloir.register_rules("gym-fails", [fails])
hloir.register_pass("gym-negate-less", negate_less)
hloir.register_pass("gym-rounds", negate_less, math="rounding")
hloir.register_pass("gym-no-end", lambda module: True)


def anything(observation, random):
    return random.choice(np.flatnonzero(observation["action_mask"]))


class InPythonTest(unittest.TestCase):
    """Rules and passes written in Python are decisions as those of hloir."""

    TEXT = CHAIN.replace("  again = f32[64] negate(y)\n", "").replace("add(z, again)", "add(z, z)")

    def make(self, passes, **options):
        return hloir.gym.RewriteEnv(self.TEXT, passes=passes, **options)

    def test_a_rule(self):
        env = self.make("algebraic-simplifier,gym-rules,cse", verify=True)
        check_env(gymnasium.make("hloir/Rewrite-v0", modules=self.TEXT, passes="gym-rules").unwrapped, skip_render_check=True)
        observation, first = env.reset(seed=0)
        ids = [o.id for o in env.opportunities()]
        at = ids.index("gym-rules/add-twice@main/s")
        self.assertEqual(env.opportunities()[at].formula, "A + A => A * 2")
        self.assertTrue(observation["action_mask"][at + 1])
        self.assertEqual(env.kinds[int(observation["actions"][at, 0])], ("gym-rules", "add-twice", "A + A => A * 2"))
        observation, reward, _, _, info = env.step(at + 1)
        self.assertEqual((info["rewrite"], info["invalid"]), ("gym-rules/add-twice@main/s", False))
        self.assertEqual(env.module.entry.find("r").operands[0].opcode, "multiply")
        self.assertEqual(info["cost"], env.module.cost()["bytes"])
        self.assertAlmostEqual(float(reward), 1 - info["cost"] / first["cost"])
        self.assertNotIn("gym-rules/add-twice@main/s", [o.id for o in env.opportunities()])
        episodes = hloir.rollouts.rollouts(anything, self.TEXT, episodes=5, passes="gym-rules,gym-negate-less")
        self.assertIn("gym-rules/add-twice@main/s", {each for episode in episodes for each in episode.rewrites})

    def test_a_pass(self):
        env = self.make("gym-rules,gym-negate-less", verify=True)
        env.reset(seed=0)
        self.assertEqual([o.id for o in env.opportunities()],
                         ["gym-rules/add-twice@main/s", "gym-negate-less/gym-negate-less@main/r"])
        self.assertEqual(env.opportunities()[1].formula, "-(-A) => A, everywhere")
        before = str(env.module)
        self.assertEqual(str(env.module), before)  # looking changes nothing
        _, reward, _, _, info = env.step(2)
        self.assertEqual(info["rewrite"], "gym-negate-less/gym-negate-less@main/r")
        self.assertGreater(reward, 0)
        self.assertEqual(info["cost"], env.module.cost()["bytes"])
        self.assertEqual([i.opcode for i in env.module.entry], ["parameter", "add", "multiply"])
        self.assertEqual([o.rule for o in env.opportunities()], ["add-twice"])
        self.assertEqual(self.make("gym-negate-less,gym-rules", disable=["gym-negate-less"]).reset()[0]["counts"][2], 1)
        self.assertEqual(self.make("gym-rules,gym-rounds").reset()[0]["counts"][2], 1)
        self.assertEqual(self.make("gym-rules,gym-rounds", math="rounding").reset()[0]["counts"][2], 2)
        self.assertEqual(self.make("gym-no-end,gym-rules").reset()[0]["counts"][2], 1)  # it changes nothing

    def test_costs_of_what_is_edited_in_place(self):
        text = """HloModule m
ENTRY main {
  x = f32[64] parameter(0)
  y = f32[64] custom-call(x), custom_call_target="elsewhere"
  ROOT n = f32[64] negate(y)
}"""
        state = hloir.gym.Decisions(hloir.parse(text), "gym-mark")
        before = state.costs()
        state.take(0)
        self.assertGreater(state.costs()[0], before[0])
        self.assertEqual(state.costs()[0], state.module().cost()["flops"])

    def test_proposals_and_take(self):
        module = hloir.parse(self.TEXT)
        before = str(module)
        offers = hloir.proposals(module, "gym-negate-less,algebraic-simplifier")
        self.assertEqual([o.rule for o in offers], ["gym-negate-less", "negate-negate", "add-negate"])
        self.assertEqual(str(module), before)
        made = hloir.take(module, offers[:1], "algebraic-simplifier,gym-negate-less")
        self.assertEqual([o.id for o in made], ["gym-negate-less/gym-negate-less@main/r"])
        self.assertEqual([i.opcode for i in module.entry], ["parameter", "add", "multiply"])

    def test_what_is_raised_comes_out(self):
        text = self.TEXT.replace("negate(x)", "sine(x)")
        with self.assertRaisesRegex(ZeroDivisionError, "in a rule"):
            hloir.gym.Decisions(hloir.parse(text), "gym-fails").opportunities()
        state = hloir.gym.Decisions(hloir.parse(text), "gym-rules")
        state.take(0)  # nothing is left of what was raised


class DecisionsTest(unittest.TestCase):
    def test_take(self):
        module = hloir.parse(CHAIN)
        state = hloir.gym.Decisions(module)
        ids = [o.id for o in state.opportunities()]
        self.assertEqual(len(ids), len(state))
        self.assertLessEqual(set(ids), {p.id for p in hloir.proposals(module)})
        k = ids.index("algebraic-simplifier/negate-negate@main/z")
        self.assertEqual(state.id(k), ids[k])
        self.assertEqual(state.opportunities()[k].formula, "-(-A) => A")
        other = state.clone()
        bytes_before = state.costs()[2]
        self.assertEqual(state.take(k), (1, 0))
        self.assertLess(state.costs()[2], bytes_before)
        self.assertEqual(other.costs()[2], bytes_before)
        self.assertEqual(other.instruction_count, state.instruction_count + 1)
        self.assertTrue(hloir.check(module, state.module()))
        with self.assertRaises(IndexError):
            state.take(1000)
        with self.assertRaises(hloir.Error):
            hloir.gym.Decisions(module, "no-such-pass")

    def test_one_thread(self):
        # A step in another thread is refused or waits its turn; it never runs beside this one.
        state = hloir.gym.Decisions(hloir.parse(LOOP))
        clones = [state.clone() for _ in range(2)]
        errors = []

        def play(mine):
            try:
                while len(mine):
                    mine.take(0)
            except RuntimeError as error:
                errors.append(str(error))

        threads = [threading.Thread(target=play, args=(clone,)) for clone in clones]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual(set(errors), {"these decisions are in use in another thread"})


class EnvTest(unittest.TestCase):
    def test_checker(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", message=".*alternative render modes.*")
            check_env(hloir.gym.RewriteEnv([CHAIN, LOOP]))
            check_env(gymnasium.make("hloir/Rewrite-v0", modules=CHAIN, render_mode="ansi").unwrapped)

    def test_episode(self):
        env = hloir.gym.RewriteEnv(CHAIN)
        observation, info = env.reset(seed=1)
        first, total, done = info["cost"], 0.0, False
        module = hloir.parse(CHAIN)
        random = np.random.default_rng(0)
        while not done:
            np.testing.assert_array_equal(observation["action_mask"].astype(bool), env.action_masks())
            action = random.choice(np.flatnonzero(observation["action_mask"][1:])) + 1
            wanted = env.opportunities()[action - 1].id
            observation, reward, done, truncated, info = env.step(action)
            self.assertEqual(info["rewrite"], wanted)
            self.assertIn(observation, env.observation_space)
            self.assertFalse(truncated)
            total += reward
        self.assertEqual(info["cost"], env.module.cost()["bytes"])
        self.assertAlmostEqual(total, 1 - info["cost"] / first)
        self.assertTrue(hloir.check(module, env.module))
        self.assertEqual(len(env.opportunities()), 0)

    def test_observation_is_the_graph(self):
        env = hloir.gym.RewriteEnv(LOOP)
        observation, _ = env.reset()
        graph = hloir.gym.graph_of(observation)
        module = env.module
        self.assertEqual(len(graph.nodes), module.instruction_count)
        opcodes = sorted(hloir.gym.OPCODES[o] for o in graph.opcodes)
        self.assertEqual(opcodes, sorted(i.opcode for c in module.computations for i in c))
        operands = sum(len(i.operands) for c in module.computations for i in c)
        self.assertEqual(int((graph.edge_kinds[:, 0] == 0).sum()), operands)
        for node in range(len(graph.nodes)):
            np.testing.assert_array_equal(graph.edges[1, graph.offsets[node]:graph.offsets[node + 1]], node)
        for action, offer in zip(graph.actions, env.opportunities()):
            self.assertEqual(env.kinds[action[0]][:2], (offer.pass_name, offer.rule))
            instruction = next(c for c in module.computations if c.name == offer.computation).find(offer.instruction)
            self.assertEqual(hloir.gym.OPCODES[graph.opcodes[action[1]]], instruction.opcode)
        column = hloir.gym.FEATURES.index("log_elements")
        self.assertEqual(graph.nodes[:, column].max(), np.float32(np.log2(18)))  # (s32[], f32[16])

    def test_stop_mask_and_limits(self):
        env = hloir.gym.RewriteEnv(CHAIN, max_steps=3)
        env.reset()
        text = str(env.module)
        _, reward, terminated, truncated, info = env.step(env.action_space.n - 1)
        self.assertEqual((reward, terminated, truncated, info["invalid"]), (0, False, False, True))
        self.assertEqual(str(env.module), text)
        self.assertEqual(env.step(0)[2:4], (True, False))
        env.reset()
        invalid = env.action_space.n - 1
        self.assertEqual([env.step(invalid)[3] for _ in range(3)], [False, False, True])
        small = hloir.gym.RewriteEnv(LOOP, max_nodes=8, max_edges=64, max_actions=2)
        observation, _ = small.reset()
        self.assertIn(observation, small.observation_space)
        graph = hloir.gym.graph_of(observation)
        self.assertEqual(len(graph.nodes), 8)
        self.assertGreater(observation["counts"][0], 8)
        self.assertTrue((graph.edges < 8).all())
        self.assertTrue(small.step(1)[3])
        with self.assertRaises(gymnasium.error.ResetNeeded):
            hloir.gym.RewriteEnv(CHAIN).step(0)

    def test_same_seed_same_episode(self):
        def play():
            env = hloir.gym.RewriteEnv([CHAIN, LOOP])
            observation, info = env.reset(seed=7)
            env.action_space.seed(7)
            seen = [info["module"]]
            done = False
            while not done:
                action = env.action_space.sample(mask=observation["action_mask"])
                observation, reward, done, truncated, info = env.step(action)
                seen.append((info["rewrite"], reward))
                done = done or truncated
            return seen

        self.assertEqual(play(), play())

    def test_rewards(self):
        for reward in ("bytes", "flops", "roofline", "time", lambda state: float(state.instruction_count)):
            env = hloir.gym.RewriteEnv(CHAIN, reward=reward, passes="algebraic-simplifier,cse")
            _, info = env.reset()
            first, total, done = info["cost"], 0.0, False
            self.assertGreater(first, 0)
            while not done:
                _, saved, done, _, info = env.step(1)
                total += saved
            self.assertAlmostEqual(total, 1 - info["cost"] / first)
            if reward != "time":
                self.assertLess(info["cost"], first)
        device = {"name": "slow", "bandwidth": 1.0, "flops": {"default": 1e30}}
        env = hloir.gym.RewriteEnv(CHAIN, reward="roofline", device=device)
        self.assertAlmostEqual(env.reset()[1]["cost"], hloir.parse(CHAIN).cost()["bytes"])  # a byte a second
        with self.assertRaises(ValueError):
            hloir.gym.RewriteEnv(CHAIN, reward="luck")

    def test_verify(self):
        def wrong(module):
            add = module.entry.find("s")
            if add is None:
                return False
            add.replace_all_uses_with(add.operands[0])
            return True

        env = hloir.gym.RewriteEnv(CHAIN, verify=True)
        observation, _ = env.reset()
        while not env.step(1)[2]:
            pass
        # A step that is wrong: the environment is told that it began with another module.
        env.reset()
        other = hloir.parse(CHAIN)
        wrong(other)
        env._start = env._start._replace(module=other)
        with self.assertRaises(hloir.gym.VerificationError) as raised:
            env.step(1)
        self.assertIn("algebraic-simplifier/", str(raised.exception))

    def test_vectorized(self):
        for mode, more in (("sync", {}), ("async", {"vector_kwargs": {"context": "spawn"}})):
            envs = gymnasium.make_vec("hloir.gym:hloir/Rewrite-v0", num_envs=3, vectorization_mode=mode,
                                      modules=[CHAIN, LOOP], **more)
            try:
                observations, infos = envs.reset(seed=[1, 2, 3])
                self.assertEqual(observations["nodes"].shape[0], 3)
                done = np.zeros(3, bool)
                for _ in range(30):
                    actions = [np.flatnonzero(mask)[-1] for mask in observations["action_mask"]]
                    observations, rewards, terminated, truncated, infos = envs.step(np.array(actions))
                    self.assertIn(observations, envs.observation_space)
                    done |= terminated
                self.assertTrue(done.all(), mode)
            finally:
                envs.close()

    def test_graph_libraries(self):
        observation, _ = hloir.gym.RewriteEnv(LOOP).reset()
        graph = hloir.gym.graph_of(observation)
        try:
            import torch_geometric.nn
        except ImportError:
            pass
        else:
            data = hloir.gym.to_pyg(observation)
            data.validate()
            self.assertEqual(data.num_edges, graph.edges.shape[1])
            out = torch_geometric.nn.GCNConv(data.num_features, 4)(data.x, data.edge_index)
            self.assertEqual(tuple(out.shape), (len(graph.nodes), 4))
        try:
            import jraph
        except ImportError:
            pass
        else:
            tuple_ = hloir.gym.to_jraph(observation)
            self.assertEqual(int(tuple_.n_node[0]), len(graph.nodes))
            summed = jraph.GraphNetwork(update_edge_fn=None, update_node_fn=lambda n, s, r, g: n)(
                tuple_._replace(nodes=graph.nodes, edges=graph.edge_kinds.astype(np.float32), globals=None))
            self.assertEqual(summed.nodes.shape, graph.nodes.shape)


class RolloutsTest(unittest.TestCase):
    def test_here(self):
        played = list(hloir.rollouts.rollouts(anything, [CHAIN, LOOP], episodes=4, seed=3))
        self.assertEqual([e.module for e in played], [0, 1, 0, 1])
        self.assertEqual(played, list(hloir.rollouts.rollouts(anything, [CHAIN, LOOP], episodes=4, seed=3)))
        for episode in played:
            self.assertAlmostEqual(episode.saved, 1 - episode.last_cost / episode.first_cost)

    @unittest.skipUnless(os.environ.get("HLOIR_TEST_RAY"), "takes a minute; HLOIR_TEST_RAY=1")
    def test_two_ray_nodes(self):
        import ray
        from ray.cluster_utils import Cluster

        def setup():
            @hloir.rule(m.multiply(m.any("a"), m.any("c")), "A * B => B * A")
            def turn(b, i, a, c):
                return None if a.opcode == "parameter" else b.multiply(c, a)

            hloir.register_rules("ray-rules", [turn])

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        try:
            cluster.add_node(num_cpus=1)
            played = list(hloir.rollouts.rollouts(anything, [CHAIN, LOOP], episodes=8, seed=3, address=cluster.address,
                                                  setup=setup, passes="algebraic-simplifier,ray-rules"))
        finally:
            ray.shutdown()
            cluster.shutdown()
        self.assertEqual(len({episode.node for episode in played}), 2)
        for episode in played:
            episode.node = ""
        setup()
        here = list(hloir.rollouts.rollouts(anything, [CHAIN, LOOP], episodes=8, seed=3, passes="algebraic-simplifier,ray-rules"))
        self.assertIn("ray-rules/turn@main/r", {each for episode in here for each in episode.rewrites})
        self.assertEqual(sorted(played, key=lambda e: e.number), here)


class DatasetTest(unittest.TestCase):
    def test_parquet(self):
        import pyarrow.parquet

        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "modules").mkdir()
            (folder / "modules" / "chain.hlo").write_text(CHAIN)
            (folder / "modules" / "same.hlo").write_text(CHAIN.replace("again", "twice"))
            (folder / "modules" / "loop.hlo").write_text(LOOP)
            (folder / "modules" / "loop.opt.hlo").write_text(LOOP.replace("[16]", "[8]"))
            (folder / "modules" / "endless.hlo").write_text(LOOP.replace("constant(3)", "constant(2000000000)"))
            (folder / "modules" / "notes.txt").write_text("nothing")
            harvested = folder / "harvested"
            harvested.mkdir()
            (harvested / "abc.hlo").write_text(CHAIN.replace("64", "32"))
            (harvested / "index.json").write_text(json.dumps({"modules": [
                {"file": "abc.hlo", "sources": [{"module": "module_0012.jit_f.7", "stage": "before_optimizations"}]}]}))
            out = folder / "set.parquet"
            subprocess.run([sys.executable, "-m", "hloir.dataset", "--seconds=0.01", "-o", out, folder / "modules", harvested], check=True,
                           stderr=subprocess.DEVNULL)
            table = pyarrow.parquet.read_table(out)
            rows = {row["file"]: row for row in table.to_pylist()}
        self.assertEqual(set(rows), {"chain.hlo", "endless.hlo", "loop.hlo", "loop.opt.hlo", "abc.hlo"})
        self.assertEqual(rows["loop.hlo"]["program"], "loop")
        self.assertEqual(rows["loop.hlo"]["split"], rows["loop.opt.hlo"]["split"])
        self.assertEqual(rows["abc.hlo"]["program"], "jit_f")
        self.assertIsNone(rows["endless.hlo"]["seconds"])
        chain = rows["chain.hlo"]
        module = hloir.parse(chain["text"])
        self.assertEqual(chain["structure"], f"{module.hash:016x}")
        self.assertEqual(chain["bytes"], module.cost()["bytes"])
        self.assertLess(chain["optimized_bytes"], chain["bytes"])
        self.assertEqual(len(chain["features"]), module.instruction_count * len(hloir.gym.FEATURES))
        self.assertEqual(len(chain["sources"]), len(chain["targets"]))
        self.assertGreater(chain["seconds"], 0)
        self.assertGreater(chain["optimized_seconds"], 0)


if __name__ == "__main__":
    unittest.main()
