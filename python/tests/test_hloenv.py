"""HloEnv's names: alternatives decided, pipelines that stop and go on, rewrites, the graph's arrays, parts of modules, passes."""

import inspect
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import hloir
from hloir.hloenv import (
    AltPipeline,
    GpuBackend,
    HloEnv,
    HloGraph,
    HloModule,
    HloPass,
    Pass,
    PassInterface,
    Pipeline,
    RewritePipeline,
    RewriteStatus,
)

TEXT = """HloModule example

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[8,4] parameter(0)
  y = f32[8,4] parameter(1)
  sum = f32[8,4] add(x, y)
  sine = f32[8,4] sine(sum)
  both = f32[8,4] multiply(sine, sum)
  zero = f32[] constant(0)
  total = f32[8] reduce(both, zero), dimensions={1}, to_apply=add
  n = f32[8] negate(total)
  m = f32[8] negate(n)
  ROOT t = (f32[8], f32[8,4]) tuple(m, sine)
}
"""

CHAIN = """HloModule chain
ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  b = f32[4] negate(a)
  ROOT c = f32[4] negate(b)
}
"""


def fresh(text: str = TEXT) -> HloEnv:
    return HloEnv(text, "txt", "cpu")


def decide(env: HloEnv, pick) -> int:
    graph = env.get_hlo_graph()
    rows = [[graph.node_features.uids[i], pick(graph.node_features.num_operands[i])] for i in graph.alternative_indices]
    if rows:
        env.apply_alternatives(np.asarray(rows))
    return len(rows)


class Alternatives(unittest.TestCase):
    def test_any_decisions_compute_the_same(self):
        numbers = np.random.default_rng(7)
        for passes in (HloPass.GeneralFusion(), HloPass.GpuInstructionFusion(True), HloPass.AlgebraicSimplifier({})):
            env = fresh()
            before = env.clone_hlo()
            rounds = 0
            while env.run(AltPipeline(Pass(passes))) and rounds < 20:
                self.assertTrue(env.verify_module())
                self.assertGreater(decide(env, lambda n: int(numbers.integers(0, n))), 0)
                self.assertTrue(env.verify_module())
                rounds += 1
            self.assertGreater(rounds, 0)
            self.assertTrue(env.has_equal_output_as(before))

    def test_sources_give_the_module_back(self):
        env = fresh()
        text, number = env.export_hlo_to_str(), env.get_hlo_module_hash()
        self.assertTrue(env.run(AltPipeline(Pass(HloPass.GeneralFusion()))))
        self.assertNotEqual(env.get_hlo_module_hash(), number)
        again = HloEnv(env.export_hlo_to_str(), "txt", "cpu")
        self.assertEqual(again.get_hlo_module_hash(), env.get_hlo_module_hash())
        for each in (env, again):
            decide(each, lambda n: 0)
            self.assertEqual(each.get_hlo_module_hash(), number)
        self.assertEqual(env.export_hlo_to_str(), text)

    def test_nodes_by_uid_or_index(self):
        for by_uid in (False, True):
            env = fresh(CHAIN)
            env.run(AltPipeline(Pass(HloPass.AlgebraicSimplifier({}))))
            graph = env.get_hlo_graph()
            self.assertEqual([graph.node_features.is_alternative[i] for i in graph.alternative_indices], [1, 1])
            nodes = graph.node_features.uids[graph.alternative_indices] if by_uid else graph.alternative_indices
            env.apply_alternatives([[nodes[1], 1], [nodes[0], 1]])  # the second excludes the first
            self.assertEqual([i.name for i in env.get_hlo_module().module.entry], ["x", "a"])

    def test_what_cannot_be_decided(self):
        env = fresh(CHAIN)
        env.run(AltPipeline(Pass(HloPass.AlgebraicSimplifier({}))))
        node = int(env.get_hlo_graph().alternative_indices[0])
        text = env.export_hlo_to_str()
        with self.assertRaisesRegex(ValueError, "one for each of 2 alternatives"):
            env.apply_alternatives([[node, 1]])
        with self.assertRaisesRegex(ValueError, "0 is the uid or index of no alternative"):
            env.apply_alternatives([[0, 1], [node, 1]])
        with self.assertRaisesRegex(hloir.Error, "has 2 operands, and no number 2"):
            env.apply_alternatives([[node, 2], [node, 0]])
        with self.assertRaises(hloir.Error):
            env.run(AltPipeline(Pass(HloPass.HloDCE())))  # alternatives of alternatives
        self.assertEqual(env.export_hlo_to_str(), text)

    def test_undecided_it_computes_what_the_sources_do(self):
        env = fresh()
        before = env.clone_hlo()
        expected = env.evaluate(1).output[0][0]
        self.assertTrue(env.run(AltPipeline(Pass(HloPass.GeneralFusion()))))
        self.assertTrue(env.has_equal_output_as(before))
        for result, wanted in zip(env.evaluate(1).output[0][0], expected):
            np.testing.assert_array_equal(result, wanted)
        self.assertEqual(env.get_hlo_module().module.cost()["custom_calls"], 0)

    def test_a_schedule_stays(self):
        class Both(HloPass.HloPassInterface):
            passes = "algebraic-simplifier,fusion"

        env = fresh(TEXT.replace("HloModule example", "HloModule example, is_scheduled=true"))
        before = env.clone_hlo()
        self.assertTrue(env.run(AltPipeline(Pass(Both()))))
        self.assertIn("is_scheduled=true", env.export_hlo_to_str())
        self.assertTrue(env.verify_module())
        saved = env.clone_hlo()
        self.assertGreater(decide(env, lambda n: 0), 1)
        self.assertEqual(env.export_hlo_to_str(), before.to_string())
        env.load_hlo(saved)
        decide(env, lambda n: n - 1)
        self.assertTrue(env.verify_module())
        self.assertTrue(env.has_equal_output_as(before))

    def test_uids_stay(self):
        def uids(env):
            nodes = env.get_hlo_graph().node_features
            return dict(zip(nodes.names, nodes.uids.tolist()))

        env = fresh()
        first = uids(env)
        self.assertEqual(uids(HloEnv(env.clone_hlo(), "cpu")), first)
        self.assertEqual(uids(fresh()), first)
        self.assertTrue(env.run(AltPipeline(Pass(HloPass.GpuInstructionFusion(True)))))
        offered = uids(env)
        self.assertEqual({name: offered[name] for name in first}, first)
        self.assertEqual(len(set(offered.values())), len(offered))
        decide(env, lambda n: n - 1)
        after = uids(env)
        stayed = after.keys() & offered.keys()
        self.assertGreater(len(stayed), 5)
        self.assertLess(len(first.keys() & after.keys()), len(first))
        self.assertEqual({name: after[name] for name in stayed}, {name: offered[name] for name in stayed})
        new = set(after.values()) - set(first.values())
        self.assertTrue(new and min(new) > max(first.values()))

    def test_it_is_drawn(self):
        env = fresh()
        env.run(AltPipeline(Pass(HloPass.GeneralFusion())))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "alternatives.hlo")
            env.get_hlo_module().module.write(path)
            picture = os.path.join(folder, "graph.dot")
            # The command bounds the memory of its process.
            subprocess.run([sys.executable, "-m", "hloir", "graph", path, "-o", picture], check=True)
            with open(picture) as file:
                self.assertIn("alternative.1\\ncustom-call kAlternative", file.read())

    def test_rewrites_beside_the_module(self):
        env = fresh(CHAIN)
        text = env.export_hlo_to_str()
        self.assertTrue(env.run(RewritePipeline(Pass(HloPass.AlgebraicSimplifier({})))))
        self.assertEqual(env.export_hlo_to_str(), text)
        offers = env.get_hlo_rewrite_graph()
        self.assertEqual(offers.num_rewrites, 2)
        self.assertEqual(offers.adjacency_matrix, [[True, True], [True, True]])
        first = offers.rewrite_data[0]
        self.assertEqual(first.pass_name, "algebraic-simplifier")
        self.assertIn("negate", first.orig_subgraph_to_str())
        self.assertNotIn("negate", first.replacement_subgraph_to_str())
        nodes = env.get_hlo_graph().node_features
        self.assertEqual({nodes.names[list(nodes.uids).index(uid)] for uid in first.orig_subgraph_uids}, {"a", "b"})
        self.assertEqual(len(first.replacement_subgraph.node_features.uids), 1)
        self.assertEqual(
            env.apply_rewrites([1, 0, 1]),
            [(1, RewriteStatus.OK), (0, RewriteStatus.ADJACENCY), (1, RewriteStatus.ALREADY_APPLIED)],
        )
        self.assertEqual(env.get_hlo_module().instruction_count, 2)
        self.assertEqual(env.get_hlo_rewrite_graph().num_rewrites, 0)  # they were of the module as it was
        with self.assertRaises(ValueError):
            env.apply_rewrites([0])


class Counting(HloPass.HloPassInterface):
    """Changes nothing, but says for so many runs that it did."""

    def __init__(self, changes: int) -> None:
        self.changes = changes
        self.runs = 0

    def run(self, module):
        self.runs += 1
        return self.runs <= self.changes


class Pipelines(unittest.TestCase):
    def test_loop_counts(self):
        env = fresh()
        for loop_count, changes, runs in ((1, 9, 1), (3, 0, 3), (-1, 4, 5), (-1, 99, 25)):
            counting = Counting(changes)
            repeated = Pass(counting, loop_count)
            self.assertFalse(env.run(repeated))
            self.assertEqual(counting.runs, runs)
            self.assertEqual(repeated.changed, changes > 0)

    def test_a_run_goes_on_behind_the_dry_pass(self):
        env = fresh(CHAIN)
        first, last = Counting(0), Counting(0)
        inner = Pipeline("inner")
        inner.add_pass(AltPipeline(Pass(HloPass.AlgebraicSimplifier({}))))
        inner.add_pass(last)
        outer = Pipeline("outer", loop_count=-1)
        outer.add_pass(first)
        outer.add_pass(inner)
        self.assertTrue(env.run(outer))
        self.assertEqual((first.runs, last.runs), (1, 0))
        decide(env, lambda n: n - 1)
        self.assertFalse(env.run(outer))  # one round more finds nothing
        self.assertEqual((first.runs, last.runs), (2, 2))
        self.assertTrue(outer.changed)
        self.assertFalse(env.run(outer))
        self.assertFalse(outer.changed)

    def test_invariant_checkers(self):
        env = fresh()
        pipeline = Pipeline("checked")
        pipeline.add_invariant_checker(HloPass.HloVerifier(False, False))
        pipeline.add_pass(HloPass.HloDCE())
        self.assertFalse(env.run(pipeline))
        pipeline.add_invariant_checker(Counting(1))
        with self.assertRaisesRegex(RuntimeError, "Counting changed the module"):
            env.run(pipeline)

    def test_every_pass_runs(self):
        given = {
            "AlgebraicSimplifier": [{}], "AllGatherCombiner": [1024, 4], "AllReduceCombiner": [1024, 4],
            "AllReduceBlueConnect": [8], "BFloat16Normalization": [True], "BatchNormExpander": [True, True, True],
            "CublasPadForGemms": [HloPass.CublasPadForGemms.PrimitiveType.F16, 8], "DotMerger": [1 << 20],
            "GatherExpander": [HloPass.GatherExpander.Mode.kEliminateAllGathers],
            "GpuInstructionFusion": [True], "GpuLayoutAssignment": [None], "HloCSE": [False], "HloVerifier": [False, False],
            "LogisticExpander": [HloPass.LogisticExpander.LogisticExpansionType.kExp],
            "ReduceScatterCombiner": [1024, 4],
            "RngBitGeneratorExpander": [HloPass.RngBitGeneratorExpander.RandomAlgorithm.RNG_PHILOX],
            "ScatterExpander": [HloPass.ScatterExpander.Mode.kEliminateSimpleScatters],
            "StatefulRngSpmdPartitioner": [1, 1],
        }
        found = 0
        for name, each in inspect.getmembers(HloPass, inspect.isclass):
            if not issubclass(each, HloPass.HloPassInterface) or name.startswith("_") or name == "HloPassInterface":
                continue
            env = fresh()
            before = env.clone_hlo()
            made = each(*given.get(name, []))
            env.run(Pass(made))
            self.assertTrue(bool(made.passes) != bool(made.why), name)
            self.assertTrue(env.verify_module(), name)
            self.assertTrue(env.has_equal_output_as(before), name)
            found += 1
        self.assertEqual(found, 82)
        with self.assertRaises(ValueError):
            HloPass.AlgebraicSimplifier({"no_such_option": 1})

    def test_partitions(self):
        text = """HloModule m, num_partitions=2
ENTRY e {
  x = f32[8] parameter(0), sharding={devices=[2]0,1}
  ROOT n = f32[8] negate(x), sharding={devices=[2]0,1}
}
"""
        env = fresh(text)
        pipeline = Pipeline("spmd")
        pipeline.add_pass(HloPass.ShardingPropagation(True))
        pipeline.add_pass(HloPass.StatefulRngSpmdPartitioner(2, 1))
        env.run(pipeline)
        self.assertEqual(str(env.get_hlo_module().module.entry.root.shape), "f32[4]{0}")

    def test_sharding_remover(self):
        env = fresh("""HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  s = f32[4] custom-call(x), custom_call_target="Sharding", sharding={replicated}
  ROOT n = f32[4] negate(s)
}
""")
        remover = Pass(HloPass.ShardingRemover())
        self.assertFalse(env.run(remover))
        self.assertTrue(remover.changed)
        self.assertEqual([i.opcode for i in env.get_hlo_module().module.entry], ["parameter", "negate"])

    def test_the_baseline(self):
        env = fresh()
        before = env.clone_hlo()
        env.optimize_hlo_module()
        self.assertIn("fusion", [i.opcode for i in env.get_hlo_module().module.entry])
        self.assertTrue(env.has_equal_output_as(before))


class Graphs(unittest.TestCase):
    def test_nodes_and_edges(self):
        graph = HloGraph(HloModule(TEXT, "txt"))
        nodes = graph.node_features
        self.assertEqual(nodes.names[:3], ["x", "y", "sum"])
        self.assertEqual(len(nodes.uids), 13)
        self.assertEqual(list(nodes.gids), [0] * 10 + [1] * 3)
        at = {name: i for i, name in enumerate(nodes.names)}
        operands = lambda i: list(graph.in_edge_indices[graph.in_edge_offsets[i] : graph.in_edge_offsets[i + 1]])
        users = lambda i: list(graph.out_edge_indices[graph.out_edge_offsets[i] : graph.out_edge_offsets[i + 1]])
        self.assertEqual(operands(at["both"]), [at["sine"], at["sum"]])
        self.assertEqual(sorted(users(at["sum"])), sorted([at["sine"], at["both"]]))
        self.assertEqual(nodes.num_operands[at["total"]], 2)
        self.assertEqual((nodes.opcodes[at["x"]], nodes.opcodes[at["sum"]], nodes.opcodes[at["t"]]), (75, 1, 115))
        self.assertEqual(nodes.fused_comp_ids[at["total"]], 1)
        self.assertEqual(nodes.in_tensor_sizes[at["total"]], 33)
        self.assertEqual(nodes.out_tensor_sizes[at["sum"]], 64)
        self.assertEqual(nodes.normalized_num_group_inst[at["a"]], np.float32(1 / 3))
        # total's dimensions={1}: six of seven values, of which the last stands for none
        counts = nodes.num_opcode_attrs.reshape(-1, 2)
        begin = int(counts[: at["total"]].sum())
        self.assertEqual(list(counts[at["total"]]), [0, 42])
        self.assertEqual([int(k) for k in nodes.opcode_attrs[begin : begin + 42].reshape(6, 7).argmax(1)], [1] + [6] * 5)
        self.assertEqual(int(counts.sum()), len(nodes.opcode_attrs))
        self.assertEqual(len(graph.opcode_attr_counts), 236)
        self.assertEqual(list(graph.opcode_attr_counts[2 * nodes.opcodes[at["total"]] :][:2]), [0, 42])

        edges = graph.in_edge_features
        first = int(graph.in_edge_offsets[at["sum"]])
        self.assertEqual((edges.srcs[first], edges.dsts[first]), (at["x"], at["sum"]))
        self.assertEqual(list(edges.dims.reshape(-1, 8)[first]), [8, 4] + [-1] * 6)
        self.assertEqual(list(edges.layouts.reshape(-1, 8)[first]), [1, 0] + [-1] * 6)
        self.assertEqual(list(edges.lehmercodes.reshape(-1, 8)[first]), [0, 1] + [0] * 6)
        self.assertEqual((edges.dtypes[first], edges.types[first], edges.get_tensor_size(first)), (11, 0, 32))
        self.assertEqual(edges.uids[first], int(nodes.uids[at["x"]]) << 32 | int(nodes.uids[at["sum"]]))
        self.assertEqual(edges.types[int(graph.in_edge_offsets[at["s"]])], 1)
        self.assertEqual(len(edges.uids), len(graph.out_edge_features.uids))

    def test_calls_inlined(self):
        text = """HloModule m
body {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  ROOT r = f32[4] add(p, q)
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  f = f32[4] fusion(x, y), kind=kLoop, calls=body
  ROOT n = f32[4] negate(f)
}
"""
        graph = fresh(text).get_hlo_graph(inline_fused_comp=True)
        at = {name: i for i, name in enumerate(graph.node_features.names)}
        edges = set(zip(graph.in_edge_features.srcs.tolist(), graph.in_edge_features.dsts.tolist()))
        wanted = {("x", "p"), ("y", "q"), ("p", "r"), ("q", "r"), ("r", "f"), ("f", "n")}
        self.assertEqual(edges, {(at[a], at[b]) for a, b in wanted})
        out = set(zip(graph.out_edge_features.srcs.tolist(), graph.out_edge_features.dsts.tolist()))
        self.assertEqual(out, edges)
        self.assertEqual(list(graph.node_features.is_in_fusion), [int(n in "pqr") for n in graph.node_features.names])


class Modules(unittest.TestCase):
    def test_ways_to_make_an_env(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.hlo")
            with open(path, "w") as file:
                file.write(TEXT)
            envs = [
                HloEnv(path, "gpu"), HloEnv(TEXT, "txt", "gpu"), HloEnv(HloModule(path), "cpu"),
                HloEnv(hlo_filepath=path, platform="gpu"), HloEnv(hlo_data=TEXT, format="txt", platform="gpu"),
                HloEnv(alt_hlo_module=HloModule(TEXT, "txt"), platform="gpu"),
            ]
        self.assertEqual(len({env.get_hlo_module_hash() for env in envs}), 1)
        for wrong in ((TEXT, "tpu"), (TEXT, "pdf", "gpu")):
            with self.assertRaises(ValueError):
                HloEnv(*wrong)
        with self.assertRaises(TypeError):
            HloEnv(TEXT)

    def test_what_the_text_left_out_is_zero(self):
        text = """HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  c = f32[3] constant({...})
  ROOT s = f32[3] add(x, c)
}"""
        result = fresh(text).evaluate(1).output[0][0]
        np.testing.assert_array_equal(result, fresh(text.replace("add(x, c)", "negate(x)")).evaluate(1).output[0][0] * -1)
        with self.assertRaises(hloir.Error):
            hloir.parse(text).run(result)

    def test_save_and_load(self):
        env = fresh()
        text, saved = env.export_hlo_to_str(), env.clone_hlo()
        env.optimize_hlo_module()
        self.assertNotEqual(env.export_hlo_to_str(), text)
        env.load_hlo(saved)
        self.assertEqual(env.export_hlo_to_str(), text)
        env.optimize_hlo_module()  # of a copy: what was saved stays
        self.assertEqual(saved.to_string(), text)
        env.load_hlo(text, "txt")
        self.assertEqual(env.export_hlo_to_str(), text)

    def test_parts(self):
        module = HloModule(TEXT, "txt")
        parts = module.extract_instructions_as_module(5)
        self.assertEqual(len(parts), 8)  # not the reduction, not parameters
        for text, part in parts:
            part.module.verify()
            opcode = part.module.entry.root.opcode
            self.assertIn(f" {opcode}(", text)
            self.assertEqual([i.opcode for i in part.module.entry].count(opcode), 5)
        env = HloEnv(module.clone(), "cpu")
        env.optimize_hlo_module()
        fusions = env.get_hlo_module().extract_fusions_as_module(2)
        self.assertGreater(len(fusions), 0)
        for part in fusions:
            self.assertEqual([i.opcode for i in part.module.entry].count("fusion"), 2)
            part.module.verify()
        large = HloModule(TEXT.replace("ROOT t", "\n".join(f"  e{i} = f32[8] exponential(m)" for i in range(20)) + "\n  ROOT t"), "txt")
        part = large.extract_random_submodule(2, 2)
        self.assertTrue(part is None or part.instruction_count >= 2)
        self.assertIsNone(module.extract_random_submodule(1000, 2))

    def test_evaluate(self):
        env = fresh()
        result = env.evaluate(3)
        self.assertEqual([len(d) for d in (result.durations, result.compute_durations, result.full_durations)], [3, 3, 3])
        self.assertTrue(all(d > 0 for d in result.durations))
        total, sine = result.output[0][0]
        self.assertEqual((total.shape, sine.shape), ((8,), (8, 4)))
        again = fresh().evaluate(1).output[0][0]
        np.testing.assert_array_equal(again[1], sine)

    def test_equal_output(self):
        env = fresh()
        self.assertTrue(env.has_equal_output_as(HloModule(TEXT, "txt"), times=2))
        self.assertFalse(env.has_equal_output_as(HloModule(TEXT.replace("sine(sum)", "cosine(sum)"), "txt")))

    def test_config(self):
        config = HloModule(TEXT, "txt").config
        self.assertEqual((config.num_partitions, config.seed, config.debug_options.xla_gpu_deterministic_ops), (1, 42, False))
        self.assertFalse(GpuBackend.cuda_is_at_least(GpuBackend.CudaComputeCapability.PASCAL))
        self.assertEqual(HloModule(TEXT, "txt").cost_analysis()["transcendentals"], 32.0)


if __name__ == "__main__":
    unittest.main()
