#!/usr/bin/env python3
"""Modules on devices in several processes, by mpirun on this machine: the same bits as in one process, and the same errors.

    tests/mpi/compare.py HLOIR SOURCE-FOLDER

HLOIR_TEST_MPIRUN: what to start instead of mpirun (machines.py). Exits with 77, skipped, where there is no mpirun, or hloir was built without MPI.
"""
import os, shutil, subprocess, sys, tempfile

hloir, source = sys.argv[1:]
mpirun = os.environ.get("HLOIR_TEST_MPIRUN") or shutil.which("mpirun")
if mpirun is None:
    sys.exit(77)
# Open MPI's own words for: as root, more processes than cores, and no waiting that takes a core.
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_hwloc_base_binding_policy="none")

STUCK = """HloModule stuck, num_partitions=4
add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT s = f32[] add(a, b) }
sum { x = f32[] parameter(0)
 ROOT r = f32[] all-reduce(x), replica_groups={{0,1,2,3}}, channel_id=1, use_global_device_ids=true, to_apply=add }
keep { ROOT x = f32[] parameter(0) }
ENTRY e { p = u32[] partition-id()
 three = u32[] constant(3)
 is = pred[] compare(p, three), direction=EQ
 x = f32[] convert(p)
 ROOT c = f32[] conditional(is, x, x), true_computation=keep, false_computation=sum }
"""
RING = """HloModule ring, num_partitions=4
ENTRY e { p = u32[] partition-id()
 x = f32[] convert(p)
 t = token[] after-all()
 r = (f32[], u32[], token[]) recv(t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2},{2,3},{3,0}}"}
 s = (f32[], u32[], token[]) send(x, t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2},{2,3},{3,0}}"}
 d = (f32[], token[]) recv-done(r), channel_id=1
 u = token[] send-done(s), channel_id=1
 ROOT y = f32[] get-tuple-element(d), index=0 }
"""
# Partition 0 sends to 3, by their shardings alone; stage programs, of which the second answers the first.
CHANNEL = """HloModule channel, num_partitions=4
ENTRY e { p = u32[] partition-id()
 x = f32[] convert(p)
 y = f32[] exponential(x)
 t = token[] after-all()
 r = (f32[], u32[], token[]) recv(t), channel_id=1, sharding={{maximal device=3}, {maximal device=3}, {maximal device=3}}
 s = (f32[], u32[], token[]) send(y, t), channel_id=1, sharding={{maximal device=0}, {maximal device=0}, {maximal device=0}}
 d = (f32[], token[]) recv-done(r), channel_id=1
 u = token[] send-done(s), channel_id=1
 z = f32[] get-tuple-element(d), index=0
 ROOT w = f32[] add(y, z) }
"""
STAGES = ["""HloModule stage0
ENTRY e { x = f32[3] parameter(0)
 t = token[] after-all()
 s = (f32[3], u32[], token[]) send(x, t), channel_id=1
 u = token[] send-done(s), channel_id=1
 r = (f32[3], u32[], token[]) recv(u), channel_id=2
 d = (f32[3], token[]) recv-done(r), channel_id=2
 ROOT y = f32[3] get-tuple-element(d), index=0 }
""", """HloModule stage1
ENTRY e { t = token[] after-all()
 r = (f32[3], u32[], token[]) recv(t), channel_id=1
 d = (f32[3], token[]) recv-done(r), channel_id=1
 x = f32[3] get-tuple-element(d), index=0
 y = f32[3] exponential(x)
 s = (f32[3], u32[], token[]) send(y, t), channel_id=2
 u = token[] send-done(s), channel_id=2
 ROOT z = f32[3] negate(x) }
"""]


def run(processes, *arguments):
    command = [hloir, "run", *arguments]
    if processes > 1:
        command = [mpirun, "-n", str(processes)] + command
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    return done.returncode, done.stdout, done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        def path(name, text=None):
            full = os.path.join(folder, name)
            if text is not None:
                with open(full, "w") as out:
                    out.write(text)
            return full
        code, out, err = run(2, path("ring.hlo", RING))
        if code != 0 and "this hloir has no MPI" in err:
            sys.exit(77)
        assert code == 0, err
        assert out == run(1, path("ring.hlo"))[1] and out.count("out0") == 4, out
        stages = [path(f"stage{k}.hlo", text) for k, text in enumerate(STAGES)]
        for files in ([path("channel.hlo", CHANNEL)], stages):
            code, out, err = run(1, *files, "--seed=2")
            assert code == 0 and out.count("out0") == (4 if len(files) == 1 else 2), (out, err)
            assert run(2, *files, "--seed=2")[1] == out, files
        for processes in (2, 4):
            code, out, err = run(processes, path("stuck.hlo", STUCK))
            assert code == 2, (code, err)
            assert err.count("r: deadlock: 3 of 4 devices wait here (0, 1, 2) for others that never come (3)") == 1, err
        code, out, err = run(8, path("ring.hlo"))
        assert code == 2 and "8 processes for 4 devices" in err, err

        step = os.path.join(source, "tests/sharded/transformer_step_32.hlo")
        passes = "--passes=call-inliner,sharding-propagation,spmd-partitioning,dce,cse,dce"
        subprocess.run([hloir, "opt", step, passes, "-o", path("step.hlo")], check=True)
        corpus = os.path.join(source, "corpus/modules")
        modules = [os.path.join(corpus, m + ".opt.hlo") for m in ("spmd_collectives", "spmd_halo_exchange", "spmd_data_parallel_step")]
        for module in modules + [path("step.hlo")]:
            code, out, err = run(1, module, "--seed=2", "--outputs=" + path("one.npz"))
            assert code == 0, err
            for processes in (2, 4, 8):
                code, out, err = run(processes, module, "--seed=2", "--outputs=" + path("several.npz"))
                assert code == 0 and out == "", (code, out, err)
                with open(path("one.npz"), "rb") as one, open(path("several.npz"), "rb") as several:
                    assert one.read() == several.read(), (module, processes)
            print(os.path.basename(module), "the same bits in 1, 2, 4 and 8 processes", flush=True)


main()
