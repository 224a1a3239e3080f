"""What ParaGraph's graph_translator and simulator and ASTRA-sim's workload layer do with what `hloir export` writes, in our words, for
tests where these programs are not: each condition on which one of them stops is an assert here. ParaGraph: IndividualizeAndTranslate
by unidirectional rings and pushes, then SimpleSim. ASTRA-sim: Workload with a feeder, one computation and one communication at a time.

The rules are those of the sources, as [repository@commit] file:lines:

[google/paragraph@db503f48] paragraph/translation/
  translation_map.cc, TRANSLATOR_LIST: the collectives that have a translator
  allgather/unidir_ring_allgather_translator.cc:75-83: n - 1 transfers of bytes_out / n from the previous to the next in the group
  reducescatter/unidir_ring_reducescatter_translator.cc:76-98 (@336d7bb9): the same, a reduction of 1 / n of the work after each
  allreduce/unidir_ring_allreduce_translator.cc: the second, then the first
  sendrecv/push_sendrecv_translator.cc: of a group of two, receives from the first and sends to the second
[astra-sim/astra-sim@0383c203] astra-sim/workload/Workload.cc
  88-97: a group's name is its number; 137-151: free nodes by number, as far as there is room
  258-272: roofline mode skips a node without tensor_size, takes num_ops / perf(num_ops / tensor_size), in whole nanoseconds
  291: no communication on the CPU; 349-391: the types of collectives that run, any other ends the simulator
  398: a send is the sender's
[astra-sim/astra-sim@7c775188] astra-sim/system/astraccl/native_collectives/collective_algorithm/Ring.cc
  42-62, 70-86: how many messages of which part of comm_size a rank sends
"""
from collections import deque

# Any other collective ends graph_translator with "Bad opcode". How many rounds through the ring each is:
RINGS = {"all-gather": 1, "all-reduce": 2, "reduce-scatter": 1}


# The collectives of Workload.cc by et_def.proto's numbers, and the bytes that a rank of n sends for a comm_size: Ring.cc. The parts of
# an all-to-all go through the ring there; what reaches its receiver is counted. A broadcast is only waited for.
ALL_REDUCE, ALL_GATHER, BROADCAST, ALL_TO_ALL, REDUCE_SCATTER = 0, 2, 5, 6, 7
SENT = {ALL_REDUCE: lambda size, n: 2 * (n - 1) * (size // n), ALL_GATHER: lambda size, n: (n - 1) * size,
        REDUCE_SCATTER: lambda size, n: (n - 1) * (size // n), ALL_TO_ALL: lambda size, n: (n - 1) * (size // n),
        BROADCAST: lambda size, n: size * (n - 1) / n}


class Node:
    """An instruction, translated: a time, a transfer {to, from, bytes}, or subroutines (nodes in order, and the root) with counts."""
    def __init__(self, seconds=0, transfer=None, inner=(), kind="delay"):
        self.seconds, self.transfer, self.inner, self.kind = seconds, transfer, list(inner), kind


def individualize(graph, processor):
    """Graph::Individualize: what a processor takes no part in becomes null; of groups it keeps its own."""
    members = set()

    def visit(subroutine):
        nodes, made = [], {}
        users = set()
        for i in subroutine.instructions:
            groups = [list(g.group_ids) for g in i.communication_groups]
            place = {"send": 0, "recv": 1, "sendrecv": 1}.get(i.opcode)
            for group in groups:
                members.update(group if place is None else [group[place]])
            mine = [g for g in groups if (processor in g if place is None else g[place] == processor)]
            inner = [(visit(s), s.execution_count) for s in i.inner_subroutines]
            if not groups:
                node = Node(0 if i.opcode == "null" else i.seconds, None, inner, i.opcode)
            elif not mine:
                node = Node(kind="null", inner=inner)
            else:
                assert len(mine) == 1, "in two groups of one instruction"
                node = translate(i, mine[0], processor, inner)
            node.operands = [made[o] for o in i.operand_ids]  # an operand that is not there is an error of CreateFromProto
            users.update(i.operand_ids)
            made[i.instruction_id] = node
            nodes.append(node)
        assert subroutine.subroutine_root_id in made and subroutine.subroutine_root_id not in users
        return nodes, made[subroutine.subroutine_root_id]

    return visit(graph.entry_subroutine), members


def translate(i, group, me, inner):
    """The collective as a chain of transfers with both neighbours in the ring; a transfer by itself."""
    if i.opcode == "send":
        assert group[1] != me
        return Node(transfer=(group[1], None, i.bytes_out))
    if i.opcode == "recv":
        assert group[0] != me
        return Node(transfer=(None, group[0], i.bytes_in))
    if i.opcode == "sendrecv":
        assert group[1] == me and group[0] != me and group[2] != me
        return Node(transfer=(group[2], group[0], i.bytes_out))
    if len(group) == 1:
        return Node(kind="null")
    if i.opcode in ("all-reduce", "reduce-scatter"):
        assert len(i.inner_subroutines) == 1, "nothing says how to reduce"
    at = group.index(me)
    chain, before = [], None
    reduction = sum(x.seconds for x in i.inner_subroutines[0].instructions) if i.inner_subroutines else 0
    for lap in range(RINGS[i.opcode]):
        for _ in range(len(group) - 1):
            step = Node(transfer=(group[(at + 1) % len(group)], group[at - 1], i.bytes_out / len(group)))
            step.operands = [before] if before else []
            chain.append(step)
            before = step
            if lap == 0 and reduction:
                add = Node(reduction / len(group))
                add.operands = [before]
                chain.append(add)
                before = add
    return Node(inner=[((chain, before), 1)], kind="call")


def simulate_paragraph(composite):
    """All processors of a composite graph, each with a scheduler; a transfer ends when its neighbours' halves are there. The times at
    which they finish; an instruction that never does is an assert."""
    processors = sorted(individualize(composite, -1)[1]) or [0]
    mail, clocks, running = {}, {}, []

    def run(processor, subroutine, count=1):
        nodes, root = subroutine
        for _ in range(count):
            done = set()
            todo = deque(nodes)
            idle = 0
            while todo:
                node = todo.popleft()
                if any(id(o) not in done for o in node.operands):
                    todo.append(node)
                    idle += 1
                    assert idle <= len(todo), "operands in a circle"
                    continue
                idle = 0
                if node.kind == "conditional":
                    yield from run(processor, node.inner[0][0])
                elif node.inner and node.kind != "null":
                    rounds = node.inner[0][1] if node.kind == "while" else 1
                    for _ in range(rounds):
                        for inner, _ in node.inner:
                            yield from run(processor, inner)
                elif node.transfer:
                    to, source, size = node.transfer
                    clocks[processor] += size / 1e9
                    if to is not None:
                        mail.setdefault((processor, to), deque()).append((clocks[processor], size))
                    if source is not None:
                        while not mail.get((source, processor)):
                            yield
                        sent, _ = mail[source, processor].popleft()
                        clocks[processor] = max(clocks[processor], sent)
                else:
                    clocks[processor] += node.seconds
                done.add(id(node))
            assert id(root) in done

    for p in processors:
        clocks[p] = 0.0
        running.append((p, run(p, individualize(composite, p)[0])))
    while running:
        left, state = [], (dict(clocks), {k: len(v) for k, v in mail.items()})
        for p, thread in running:
            if next(thread, "done") != "done":
                left.append((p, thread))
        assert len(left) < len(running) or state != (clocks, {k: len(v) for k, v in mail.items()}), "processors wait for one another"
        running = left
    assert not any(mail.values()), "something was sent that nobody receives"
    return clocks


def simulate_chakra(traces, groups, bandwidth):
    """Workload::issue_dep_free_nodes on every rank: of the nodes that wait for nothing, by number, those for which there is room: one
    computation and one communication at a time. A collective ends when its group has come to it. The bytes that all ranks send."""
    ranks = range(len(traces))
    for name, members in groups.items():
        assert int(name) > 0 and members == sorted(set(members)), "communicator groups are numbered from 1"
    waits, free, flight, left = [], [], [], []
    children = []
    for nodes in traces:
        data = {n.id: set(n.data_deps) for n in nodes}
        control = {n.id: set(n.ctrl_deps) for n in nodes}
        # The feeder takes a node from each kind of dependence by itself, and each must have one that is free.
        assert any(not d for d in data.values()) and any(not d for d in control.values())
        waits.append({i: data[i] | control[i] for i in data})
        free.append({i for i, w in waits[-1].items() if not w})
        flight.append({"comp": None, "comm": None})
        left.append(len(nodes))
        below = {}
        for i, w in waits[-1].items():
            for o in w:
                assert o in data, "a node that is not there"
                below.setdefault(o, []).append(i)
        children.append(below)
    by_id = [{n.id: n for n in nodes} for nodes in traces]
    sent, order, total = {}, [{} for _ in ranks], 0

    def attributes(node):
        return {a.name: getattr(a, a.WhichOneof("value")) for a in node.attr}

    def finish(rank, kind):
        node = flight[rank][kind]
        flight[rank][kind] = None
        left[rank] -= 1
        for child in children[rank].get(node, ()):
            waits[rank][child].discard(node)
            if not waits[rank][child]:
                free[rank].add(child)

    while any(left):
        moved = False
        for rank in ranks:
            for i in sorted(free[rank]):
                node = by_id[rank][i]
                assert node.type in (4, 5, 6, 7), node.type
                if node.type == 4:
                    attr = attributes(node)
                    assert attr["num_ops"] > 0, "0 / 0 operations a second"
                    assert int(attr["tensor_size"] / bandwidth * 1e9) > 0, "an event at the tick that is just being handled"
                kind = "comp" if node.type == 4 else "comm"
                if flight[rank][kind] is None:
                    flight[rank][kind] = i
                    free[rank].discard(i)
                    moved = True
                    if node.type == 7:
                        attr = attributes(node)
                        assert attr["comm_type"] in SENT, "a collective that the simulator does not run"
                        total += SENT[attr["comm_type"]](attr["comm_size"], len(groups[attr["pg_name"]]))
                        order[rank][attr["pg_name"]] = order[rank].get(attr["pg_name"], 0) + 1
            if flight[rank]["comp"] is not None:
                finish(rank, "comp")
                moved = True
            if flight[rank]["comm"] is None:
                continue
            node = by_id[rank][flight[rank]["comm"]]
            attr = attributes(node)
            if node.type == 5:
                assert attr.get("comm_src", rank) == rank, "a send that the receiver issues"
                sent.setdefault((rank, attr["comm_dst"], attr["comm_tag"]), deque()).append(attr["comm_size"])
                total += attr["comm_size"]
                finish(rank, "comm")
                moved = True
            elif node.type == 6:
                assert attr.get("comm_dst", rank) == rank, "a receive that the sender issues"
                box = sent.get((attr["comm_src"], rank, attr["comm_tag"]))
                if box:
                    assert box.popleft() == attr["comm_size"]
                    finish(rank, "comm")
                    moved = True
            else:
                name, turn = attr["pg_name"], order[rank][attr["pg_name"]]
                here = [r for r in groups[name] if order[r].get(name, 0) >= turn]
                if len(here) == len(groups[name]):  # all have begun this one
                    finish(rank, "comm")
                    moved = True
        assert moved, "ranks wait for one another: " + str([by_id[r][flight[r]["comm"]].name for r in ranks if flight[r]["comm"]])
    assert not any(sent.values())
    return total
