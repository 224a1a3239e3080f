#!/usr/bin/env python3
"""tests/mpi/compare.py on two machines: network namespaces with a name, an address and TCP between them, and nothing in common
but the disk. Processes are dealt out to them one by one.

    tests/mpi/machines.py HLOIR SOURCE-FOLDER

Exits with 77, skipped, where there is no mpirun, ip or unshare, or the kernel doesn't let us (it takes root).
"""
import os, shutil, stat, subprocess, sys, tempfile

tools = [shutil.which(name) for name in ("mpirun", "ip", "unshare")]
if None in tools or os.geteuid() != 0:
    sys.exit(77)
mpirun, ip, unshare = tools
tag = f"hloir{os.getpid() % 100000}"
machines = [f"{tag}a", f"{tag}b"]
addresses = ["10.213.97.1", "10.213.97.2"]


def run(*command):
    subprocess.run(command, check=True, capture_output=True, text=True)


def connect():
    for machine in machines:
        run(ip, "netns", "add", machine)
    run(ip, "link", "add", machines[0], "netns", machines[0], "type", "veth", "peer", "name", machines[1], "netns", machines[1])
    for machine, address in zip(machines, addresses):
        run(ip, "-n", machine, "addr", "add", address + "/24", "dev", machine)
        run(ip, "-n", machine, "link", "set", "lo", "up")
        run(ip, "-n", machine, "link", "set", machine, "up")


def script(path, text):
    with open(path, "w") as out:
        out.write("#!/bin/sh\n" + text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


with tempfile.TemporaryDirectory() as folder:
    # A command on a machine, under its name. In mpirun's sense an agent: AGENT ADDRESS COMMAND….
    on = script(os.path.join(folder, "on"), f"""case $1 in {addresses[0]}) machine={machines[0]} ;; *) machine={machines[1]} ;; esac
shift
exec {ip} netns exec $machine {unshare} --uts sh -c 'hostname '$machine'; exec sh -c "$0"' "$*"
""")
    hosts = os.path.join(folder, "hosts")
    with open(hosts, "w") as out:
        out.writelines(address + " slots=16\n" for address in addresses)
    options = f"--hostfile {hosts} --map-by node --mca plm_rsh_agent {on} --mca btl tcp,self --mca pml ob1"
    for of in ("btl_tcp", "oob_tcp"):
        options += f" --mca {of}_if_include 10.213.97.0/24"
    start = script(os.path.join(folder, "mpirun"), f"""{on} {addresses[0]} "{mpirun} {options} $*"
""")
    try:
        try:
            connect()
        except subprocess.CalledProcessError as refused:
            print(refused.stderr)
            sys.exit(77)
        names = subprocess.run([start, "-n", "4", "hostname"], capture_output=True, text=True, env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))
        assert sorted(names.stdout.split()) == sorted(machines * 2), (names.stdout, names.stderr)
        compare = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compare.py")
        done = subprocess.run([sys.executable, compare, *sys.argv[1:]], env=dict(os.environ, HLOIR_TEST_MPIRUN=start))
    finally:
        for machine in machines:
            subprocess.run([ip, "netns", "del", machine], capture_output=True)
    if done.returncode == 0:
        print("on two machines, " + " and ".join(machines))
    sys.exit(done.returncode)
