#!/usr/bin/env python3
"""Reads what `hloir export` writes by protobuf's own library, and checks it by the rules of those who read it.

    tests/export/read_back.py HLOIR CORPUS

ParaGraph's (google/paragraph@db503f48 paragraph/graph/graph.proto, and what its Graph::Validate… asks for) in binary and text, of all
devices and of each; Chakra's (mlcommons/chakra@6dc63e14 schema/protobuf/et_def.proto, lengths before messages), with a feeder that issues nodes once what they wait for is done. Then it translates and
simulates both as those programs do (simulators.py). Without Python's protobuf it exits with 77: skipped.
"""
import json, os, subprocess, sys, tempfile

from simulators import simulate_chakra, simulate_paragraph
try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format
except ImportError:
    sys.exit(77)

F = descriptor_pb2.FieldDescriptorProto
TYPES = {"string": F.TYPE_STRING, "int64": F.TYPE_INT64, "uint64": F.TYPE_UINT64, "int32": F.TYPE_INT32, "double": F.TYPE_DOUBLE,
         "bool": F.TYPE_BOOL}


def messages(package, **definitions):
    """Message classes from {name: {field: (number, type, repeated, oneof)}}."""
    file = descriptor_pb2.FileDescriptorProto(name=package + ".proto", package=package, syntax="proto3")
    for name, fields in definitions.items():
        message = file.message_type.add(name=name)
        for field, (number, kind, *more) in fields.items():
            f = message.field.add(name=field, number=number, label=F.LABEL_REPEATED if "repeated" in more else F.LABEL_OPTIONAL)
            if kind in TYPES:
                f.type = TYPES[kind]
            else:
                f.type, f.type_name = F.TYPE_MESSAGE, f".{package}.{kind}"
            if "oneof" in more:
                if not message.oneof_decl:
                    message.oneof_decl.add(name="value")
                f.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return [message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{n}")) for n in definitions]


_, _, _, GraphProto = messages(
    "paragraph",
    CommunicationGroupProto={"group_ids": (1, "int64", "repeated")},
    InstructionProto={"name": (1, "string"), "opcode": (2, "string"), "instruction_id": (3, "int64"), "ops": (4, "double"),
                      "bytes_in": (5, "double"), "bytes_out": (6, "double"), "transcendentals": (7, "double"),
                      "seconds": (8, "double"), "bonded_instruction_id": (9, "int64"), "communication_tag": (10, "uint64"),
                      "communication_groups": (11, "CommunicationGroupProto", "repeated"), "operand_ids": (12, "int64", "repeated"),
                      "inner_subroutines": (13, "SubroutineProto", "repeated")},
    SubroutineProto={"name": (1, "string"), "subroutine_root_id": (2, "int64"), "execution_probability": (3, "double"),
                     "execution_count": (4, "int64"), "instructions": (5, "InstructionProto", "repeated")},
    GraphProto={"name": (1, "string"), "processor_id": (2, "int64"), "entry_subroutine": (3, "SubroutineProto")})
_, Metadata, Node = messages(
    "ChakraProtoMsg",
    AttributeProto={"name": (1, "string"), "doc_string": (2, "string"), "int32_val": (7, "int32", "oneof"),
                    "int64_val": (9, "int64", "oneof"), "uint64_val": (13, "uint64", "oneof"), "bool_val": (27, "bool", "oneof"),
                    "string_val": (29, "string", "oneof")},
    GlobalMetadata={"version": (1, "string"), "attr": (2, "AttributeProto", "repeated")},
    Node={"id": (1, "uint64"), "name": (2, "string"), "type": (3, "int32"), "ctrl_deps": (4, "uint64", "repeated"),
          "data_deps": (5, "uint64", "repeated"), "start_time_micros": (6, "uint64"), "duration_micros": (7, "uint64"),
          "attr": (10, "AttributeProto", "repeated")})

BANDWIDTH = 3.35e12  # of docs/devices/h100.json
COLLECTIVES = {"all-gather", "all-reduce", "reduce-scatter"}
OPCODES = COLLECTIVES | {"call", "conditional", "delay", "infeed", "null", "outfeed", "recv", "send", "sendrecv", "while"}


def check_graph(graph):
    """As Graph::CreateFromProto and ValidateComposite or ValidateIndividualized."""
    me, seen = graph.processor_id, set()
    counts = {}

    def subroutine(s, caller, times):
        ids = {i.instruction_id for i in s.instructions}
        assert len(ids) == len(s.instructions) and not ids & seen and 0 not in ids, "an id twice"
        seen.update(ids)
        assert s.subroutine_root_id in ids, "no root"
        assert caller == "conditional" or s.execution_probability == 1
        assert s.execution_count == 1 or (caller == "while" and s.execution_count > 1)
        done = set()
        for i in s.instructions:
            assert i.opcode in OPCODES, i.opcode
            counts[i.opcode] = counts.get(i.opcode, 0) + times * s.execution_count
            assert min(i.ops, i.bytes_in, i.bytes_out, i.transcendentals, i.seconds) >= 0
            assert set(i.operand_ids) <= done, "an operand after its user"
            assert s.subroutine_root_id not in i.operand_ids, "a user of the root"
            done.add(i.instruction_id)
            inner = len(i.inner_subroutines)
            reduces = i.opcode in ("all-reduce", "reduce-scatter")
            assert {"conditional": inner >= 2, "while": inner == 2, "call": inner >= 1}.get(i.opcode, inner == (1 if reduces else 0)), i
            if i.opcode == "conditional":
                assert abs(sum(x.execution_probability for x in i.inner_subroutines) - 1) < 1e-6
            groups = [list(g.group_ids) for g in i.communication_groups]
            if i.opcode in COLLECTIVES | {"send", "recv", "sendrecv"}:
                assert groups
                size = {"send": 2, "recv": 2, "sendrecv": 3}.get(i.opcode)
                if me >= 0:
                    assert len(groups) == 1
                    assert i.opcode not in COLLECTIVES or me in groups[0]
                    assert size is None or (len(groups[0]) == size - 1 and me not in groups[0])
                elif size:
                    assert all(len(g) == size for g in groups)
                    place = 0 if i.opcode == "send" else 1
                    assert len({g[place] for g in groups}) == len(groups), "a device twice"
                else:
                    members = [d for g in groups for d in g]
                    assert len(set(members)) == len(members)
            else:
                assert not groups
            for x in i.inner_subroutines:
                subroutine(x, i.opcode, times * s.execution_count)

    subroutine(graph.entry_subroutine, "", 1)
    return counts


def read_trace(path):
    data, at, found = open(path, "rb").read(), 0, []
    while at < len(data):
        size = shift = 0
        while True:
            byte, at = data[at], at + 1
            size |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                break
        found.append(data[at:at + size])
        at += size
    assert at == len(data), "cut short"
    return Metadata.FromString(found[0]), [Node.FromString(m) for m in found[1:]]


def value(attr):
    return getattr(attr, attr.WhichOneof("value"))


def check_traces(prefix, ranks):
    groups = {name: set(group) for name, group in json.load(open(prefix + ".groups.json")).items()}
    sent, received, collectives = {}, {}, {}
    rings = transfers = 0  # what ParaGraph has collectives for, and what it has not
    for rank in range(ranks):
        metadata, nodes = read_trace(f"{prefix}.{rank}.et")
        assert any(a.name == "producer" and value(a) == "hloir" for a in metadata.attr)
        issued = set()
        for node in nodes:  # each after what it waits for: a feeder never stalls
            assert node.id not in issued and set(node.data_deps) <= issued, (rank, node.name)
            issued.add(node.id)
            attr = {a.name: value(a) for a in node.attr}
            assert attr["is_cpu_op"] is False
            if node.type == 4:
                assert attr["num_ops"] > 0 and attr["tensor_size"] > 0
            elif node.type == 7:
                assert rank in groups[attr["pg_name"]] and attr["comm_size"] > 0
                collectives.setdefault(attr["pg_name"], {}).setdefault(rank, []).append((attr["comm_type"], attr["comm_size"]))
                others = len(groups[attr["pg_name"]]) - 1
                if attr["comm_type"] == 6:  # all-to-all: a transfer to each other one
                    transfers += others
                elif attr["comm_type"] == 5:  # broadcast: each but one receives
                    transfers += others / (others + 1)
                else:
                    rings += 1
            elif node.type in (5, 6):
                side = sent if node.type == 5 else received
                assert attr["comm_src" if node.type == 5 else "comm_dst"] == rank
                key = (attr["comm_src"], attr["comm_dst"], attr["comm_tag"])
                assert key not in side
                side[key] = attr["comm_size"]
            else:
                raise AssertionError(node.type)
    assert sent == received, "a transfer without its other side"
    for name, by_rank in collectives.items():  # all members run the same ones in the same order
        assert set(by_rank) == groups[name] and len({tuple(c) for c in by_rank.values()}) == 1, name
    return rings, len(sent) + round(transfers)


def main():
    hloir, corpus = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    files = [(os.path.join(corpus, "modules", m + ".opt.hlo"), 8) for m in ("spmd_collectives", "spmd_data_parallel_step")]
    files += [(os.path.join(here, "every_kind.hlo"), 4), (os.path.join(corpus, "modules", "mlp_train_step.opt.hlo"), 1)]
    with tempfile.TemporaryDirectory() as folder:
        for module, devices in files:
            def export(form, name, *more):
                path = os.path.join(folder, name)
                subprocess.run([hloir, "export", module, "--format=" + form, "-o", path, "--device=h100", *more], check=True)
                return path
            binary = GraphProto.FromString(open(export("paragraph", "g.pb"), "rb").read())
            text = text_format.Parse(open(export("paragraph", "g.textproto")).read(), GraphProto())
            assert binary == text and binary.processor_id == -1
            composite = check_graph(binary)
            finished = simulate_paragraph(binary)
            assert len(finished) in (1, devices) and min(finished.values()) > 0, finished
            export("paragraph", "g.pb", "--per-device")
            each = {}
            for device in range(devices):
                graph = GraphProto.FromString(open(os.path.join(folder, f"g.{device}.pb"), "rb").read())
                assert graph.processor_id == device
                for opcode, count in check_graph(graph).items():
                    each[opcode] = each.get(opcode, 0) + count
            for opcode in COLLECTIVES & composite.keys():
                assert each[opcode] == devices * composite[opcode], opcode
            export("chakra", "t")
            sends_all = simulate_chakra([read_trace(os.path.join(folder, f"t.{r}.et"))[1] for r in range(devices)],
                            json.load(open(os.path.join(folder, "t.groups.json"))), BANDWIDTH)
            cost = json.loads(subprocess.run([hloir, "cost", "--json", module], capture_output=True, text=True, check=True).stdout)
            counted = cost.get("communication", {}).get("sent", 0)
            assert abs(sends_all - counted) <= 0.01 * counted, (module, sends_all, counted)
            ran, sends = check_traces(os.path.join(folder, "t"), devices)
            assert ran == sum(each.get(o, 0) for o in COLLECTIVES), (ran, each)
            assert sends == each.get("send", 0) + each.get("sendrecv", 0), (sends, each)
            trace = json.load(open(export("perfetto", "t.json")))
            assert all(e["dur"] >= 0 for e in trace["traceEvents"] if e["ph"] == "X")
            print(os.path.basename(module), {o: n for o, n in sorted(each.items()) if o not in ("delay", "null")})


main()
