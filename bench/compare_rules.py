#!/usr/bin/env python3
"""Compares what hloir's parser and XLA's (jaxlib's) make of modules that were changed a little.

    bench/compare_rules.py [--hloir BIN] [--count N] [--seed S] [--save DIR] FILE…

N times a file is taken and changed: a token, a number, a shape, a layout, a name, an operand, an attribute or its value
(often one of another file's) or a line is dropped, doubled, exchanged or replaced. Both sides read the result. Printed
are the share of XLA's refusals that hloir shares, of XLA's modules that hloir reads, and of those that it prints byte
for byte, then the differences, grouped by message; docs/messages.md says which are meant. --save writes each text that
makes a difference, with both answers, to DIR. A text that brings XLA's process down is left out. Needs jaxlib.
"""
import argparse, collections, os, random, re, struct, subprocess, sys

TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|%?[A-Za-z_][\w.\-]*=?|-?\d+(?:\.\d+)?|->|<=|\.\.\.|\s+|.', re.S)
TYPES = "pred s4 s8 s32 s64 u8 u32 u64 f16 bf16 f32 f64 f8e4m3fn c64 token".split()
SHAPE = re.compile(r"(?<=[a-z0-9])\[[0-9,<=?]*\](\{[^{}]*\})?")
ATTRIBUTE = re.compile(r",\s*([A-Za-z_\-]+)=")
DIMENSIONS = ["[]", "[1]", "[4]", "[2,3]", "[2,2,2]", "[0]", "[<=4]", "[?]"]
LAYOUTS = ["", "{0}", "{1,0}", "{0,1}", "{2,1,0}", "{:T(128)}", "{0:S(1)}", "{1,0:T(8,128)(2,1)}", "{0:E(4)}", "{0:S(1)E(4)}", "{0:D(C)}"]
NUMBERS = ["0", "1", "-1", "2", "3", "1.5", "?", "2147483648", "9223372036854775808", "18446744073709551616", "inf", "nan"]
WORDS = ["true", "ROOT", "ENTRY", "x.1", "__a", "f32", "replicated", "maximal", "unknown", "nan", "a-b"]


def attributes(text):
    """(start, end, name, where the value begins) of each `, name=value`."""
    found = []
    for m in ATTRIBUTE.finditer(text):
        i, depth = m.end(), 0
        while i < len(text):
            c = text[i]
            if c == '"':
                i += 1
                while i < len(text) and text[i] != '"':
                    i += 2 if text[i] == "\\" else 1
            elif c in "{[(":
                depth += 1
            elif c in ")]}":
                if depth == 0: break
                depth -= 1
            elif depth == 0 and c in ",\n":
                break
            i += 1
        found.append((m.start(), i, m.group(1), m.end()))
    return found


class Mutator:
    def __init__(self, texts, seed):
        self.random, self.texts = random.Random(seed), texts
        self.values, self.opcodes = collections.defaultdict(set), set()
        for text in texts:
            for start, end, name, value in attributes(text):
                if end - value < 300: self.values[name].add(text[value:end])
            self.opcodes.update(re.findall(r"[\]})] ([a-z][a-z0-9\-]*)\(", text))
        self.values = {name: sorted(values) for name, values in self.values.items()}
        self.names, self.opcodes = sorted(self.values), sorted(self.opcodes)

    def any_value(self, name): return self.random.choice(self.values[name])

    def tokens(self, text, fits, change):
        """Replaces one token that fits, and perhaps its neighbour, by what change() makes of the list."""
        parts = TOKEN.findall(text)
        places = [i for i, token in enumerate(parts) if fits(token)]
        if not places: return text
        change(parts, self.random.choice(places), places)
        return "".join(parts)

    def token(self, text):
        r = self.random
        def change(parts, i, places):
            how = r.randrange(4)
            if how == 0: del parts[i]
            elif how == 1: parts.insert(i, parts[i])
            elif how == 2:
                j = r.choice(places)
                parts[i], parts[j] = parts[j], parts[i]
            else: parts[i] = r.choice(list("{}()[],:=#*?\"") + ["->", "..."])
        return self.tokens(text, lambda token: not token.isspace(), change)

    def number(self, text):
        r = self.random
        def change(parts, i, _):
            n = int(float(parts[i])) if len(parts[i]) < 20 else 0
            parts[i] = r.choice(NUMBERS + [str(n + 1), str(n - 1), str(2 * n)] * 4)
        return self.tokens(text, lambda token: re.fullmatch(r"-?\d+(\.\d+)?", token), change)

    def word(self, text):
        words = [token for token in TOKEN.findall(text) if re.fullmatch(r"%?[A-Za-z_][\w.\-]*", token)]
        def change(parts, i, _): parts[i] = self.random.choice(words + WORDS)
        return self.tokens(text, lambda token: token in words, change)

    def type(self, text):
        def change(parts, i, _): parts[i] = self.random.choice(TYPES)
        return self.tokens(text, lambda token: token in TYPES, change)

    def shape(self, text):
        places = list(SHAPE.finditer(text))
        if not places: return text
        m, r = self.random.choice(places), self.random
        kept = text[m.start():text.index("]", m.start()) + 1]
        new = kept + r.choice(LAYOUTS) if r.random() < 0.5 else r.choice(DIMENSIONS) + (m.group(1) or "")
        return text[:m.start()] + new + text[m.end():]

    def opcode(self, text):
        places = list(re.finditer(r"[\]})] ([a-z][a-z0-9\-]*)\(", text))
        if not places: return text
        m = self.random.choice(places)
        return text[:m.start(1)] + self.random.choice(self.opcodes) + text[m.end(1):]

    def unstated(self, text):
        places = list(re.finditer(r"= (\S+ )(?=[a-z\-]+\()", text))
        if not places: return text
        m = self.random.choice(places)
        return text[:m.start(1)] + text[m.end(1):]

    def operand(self, text):
        places = list(re.finditer(r"[a-z]\(([^()=]*)\)", text))
        if not places: return text
        m, r = self.random.choice(places), self.random
        operands = m.group(1).split(",")
        i = r.randrange(len(operands))
        if r.random() < 0.4: del operands[i]
        else: operands.insert(i, r.choice(re.findall(r"(%?[A-Za-z_][\w.\-]*) = ", text) or ["x"]))
        return text[:m.start(1)] + ",".join(operands) + text[m.end(1):]

    def attribute(self, text):
        places, r = attributes(text), self.random
        if not places: return text
        start, end, name, value = r.choice(places)
        how = r.randrange(6)
        if how == 0: return text[:start] + text[end:]
        if how == 1: return text[:end] + text[start:end] + text[end:]
        if how == 2: return text[:value] + self.any_value(name) + text[end:]
        if how == 3: return text[:value] + self.any_value(r.choice(self.names)) + text[end:]
        if how == 4:
            other = r.choice(self.names)
            return text[:end] + f", {other}={self.any_value(other)}" + text[end:]
        inner = r.choice([self.token, self.number, self.word])(text[value:end])
        return text[:value] + inner + text[end:]

    def line(self, text):
        lines, r = text.split("\n"), self.random
        i, how = r.randrange(len(lines)), r.randrange(3)
        if how == 0: del lines[i]
        elif how == 1: lines.insert(i, lines[i])
        else: lines[i - 1], lines[i] = lines[i], lines[i - 1]
        return "\n".join(lines)

    def __call__(self):
        text = self.random.choice(self.texts)
        kinds = [self.token, self.number, self.word, self.type, self.shape, self.opcode, self.unstated, self.operand,
                 self.attribute, self.attribute, self.attribute, self.line]
        for _ in range(self.random.choice([1, 1, 1, 2])):
            text = self.random.choice(kinds)(text)
        return text


# XLA's side is a process of its own, which may die of a text: length and text in, a letter, length and answer out.
XLA = r"""
import os, struct, sys
out = os.dup(1); nothing = os.open(os.devnull, os.O_WRONLY); os.dup2(nothing, 1); os.dup2(nothing, 2)
import jaxlib._hlo as hlo
while len(head := sys.stdin.buffer.read(4)) == 4:
    text = sys.stdin.buffer.read(struct.unpack("<I", head)[0]).decode("utf-8", "surrogateescape")
    try: letter, answer = b"A", hlo.hlo_module_from_text(text).to_string()
    except Exception as error: letter, answer = b"R", str(error)
    answer = answer.encode("utf-8", "surrogateescape")
    with os.fdopen(os.dup(out), "wb") as stream: stream.write(letter + struct.pack("<I", len(answer)) + answer)
"""


class Xla:
    process = None

    def __call__(self, text):
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, "-c", XLA], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.process.stdin.write(struct.pack("<I", len(text)) + text)
            self.process.stdin.flush()
            head = self.process.stdout.read(5)
            if len(head) == 5:
                return chr(head[0]), self.process.stdout.read(struct.unpack("<I", head[1:])[0]).decode("utf-8", "replace")
        except BrokenPipeError:
            pass
        self.process.kill()
        self.process = None
        return "died", ""


def ask_hloir(binary, text):
    done = subprocess.run([binary, "print", "-"], input=text, capture_output=True)
    answer = done.stderr if done.returncode else done.stdout
    return ("A" if done.returncode == 0 else "R"), answer.decode("utf-8", "replace")


def kind_of(message):
    """The first error of a message, without what belongs to this text alone."""
    first = re.sub(r"(?s).*?error: ", "", message, count=1).split("\n")[0]
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'|\"[^\"]*\"", "'…'", SHAPE.sub("[…]", first)))[:100]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save")
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args()
    texts = [open(file, encoding="utf-8", errors="surrogateescape").read() for file in options.files]
    mutate, ask_xla = Mutator(texts, options.seed), Xla()
    counts, groups = collections.Counter(), collections.Counter()
    for i in range(options.count):
        text = mutate().encode("utf-8", "surrogateescape")
        xla, xla_says = ask_xla(text)
        if xla == "died":
            counts[xla] += 1
            continue
        hloir, hloir_says = ask_hloir(options.hloir, text)
        difference = None
        if xla == "R" and hloir == "A": difference = f"XLA refuses: {kind_of(xla_says)}"
        elif xla == "A" and hloir == "R": difference = f"hloir refuses: {kind_of(hloir_says)}"
        elif xla == "A" and xla_says.rstrip("\n") != hloir_says.rstrip("\n"): difference = "printed otherwise"
        counts[xla + hloir] += 1
        if difference is None: continue
        groups[difference] += 1
        if options.save:
            os.makedirs(options.save, exist_ok=True)
            for ending, what in ((".hlo", text), (".txt", f"{difference}\n\nXLA: {xla_says}\n\nhloir: {hloir_says}".encode())):
                with open(os.path.join(options.save, f"{options.seed}-{i}{ending}"), "wb") as file: file.write(what)
    share = lambda part, whole: f"{100 * part / whole:.2f} %" if whole else "none"
    refused, read = counts["RR"] + counts["RA"], counts["AA"] + counts["AR"]
    print(f"XLA refuses {refused}, hloir of those {share(counts['RR'], refused)}; XLA reads {read}, hloir of those "
          f"{share(counts['AA'], read)}, printed the same {share(counts['AA'] - groups['printed otherwise'], counts['AA'])}; "
          f"XLA dies of {counts['died']}")
    for difference, count in groups.most_common(): print(f"{count:5} {difference}")


if __name__ == "__main__": main()
