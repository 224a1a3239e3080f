#!/usr/bin/env python3
"""Runs the commands that a page shows: tests/docs/commands.py HLOIR PAGE.md

A block ```console is a transcript: each line "$ COMMAND" is run, and the lines behind it must be what it prints (both
streams), "[exit N]" for an exit status other than 0. A command without output lines is run for its exit status alone, and so
is every command of ```{.console .measured}. A line "…" stands for any lines. Times and instruction sets may differ.
In a block ```sh each line is run and must exit with 0. Programs that the tests do not have are named in NOT_RUN.
A comment "<!-- setup: COMMAND -->" is run where it stands: it makes the files that the page speaks of.
In running text and in blocks without a language, `hloir COMMAND --flag` must name a command and its flags.
All commands of a page run one after the other in one folder: a copy of tests/cli/data with corpus/, docs/, bench/ and tests/.
HLOIR_UPDATE=1 writes what is printed now into the page. README.md also must name every command of hloir.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# First words of commands that need a network, a build of the tree, or programs that tests do not require.
NOT_RUN = {
    "scripts/demo", "scripts/test", "scripts/site", "cmake", "ctest", "ninja", "pip", "python", "python3", "XLA_FLAGS=", "XLA_SAVE_TENSORS_FILE=",
    "mpirun", "graph_translator", "simulator", "chakra_jsonizer", "astra-sim", "code", "code-insiders", "tools/fuzz_ray.py", "afl-fuzz", "cd build",
    "build/fuzz", "docs/studies/bert.py", "docs/studies/llama.py", "docs/studies/transformer.py",
    "tests/sharded/generate.py", "bench/", "editors/", "scripts/", "hloir fuzz xla", "node",
}

TREE = pathlib.Path(__file__).resolve().parents[2]


def skipped(command):
    return any(command == name or command.startswith(name + " ") or (name[-1] in "/=" and command.startswith(name))
               or (name == "build/fuzz" and command.startswith(name)) for name in NOT_RUN)


def normalized(lines):
    """Without what differs from machine to machine: times, instruction sets, and the widths of columns that follow."""
    out = []
    for line in lines:
        if line.startswith("time of a run"):
            line = "time of a run"
        line = re.sub(r"\b(avx512|avx2|sse2|neon|scalar)\b", "ISA", line)
        line = re.sub(r"\b\d+(\.\d+)? ?(ns|µs|ms|s)\b", "TIME", line)
        line = re.sub(r"─+", "─", line)
        out.append(re.sub(r"\s+", " ", line).strip())
    return out


def matches(expected, actual):
    """Are the lines the same, where "…" of the expected ones stands for any number of lines?"""
    expected, actual = normalized(expected), normalized(actual)
    reachable = {0}  # how many actual lines the expected ones so far can stand for
    for line in expected:
        if line == "…":
            reachable = set(range(min(reachable), len(actual) + 1)) if reachable else set()
        else:
            reachable = {n + 1 for n in reachable if n < len(actual) and actual[n] == line}
    return len(actual) in reachable


class Page:
    def __init__(self, hloir, path, folder):
        self.path, self.folder, self.failures, self.run_count = path, folder, [], 0
        self.hloir = hloir
        self.environment = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", COLUMNS="80", PATH=f"{folder.parent}/bin:{os.environ['PATH']}",
                                HLOIR_LESSONS=str(TREE / "docs/lessons"))
        self.flags = {}

    def run(self, command):
        self.run_count += 1
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        lines = done.stdout.decode(errors="replace").rstrip("\n").split("\n") if done.stdout.strip() else []
        return lines + ([f"[exit {done.returncode}]"] if done.returncode else [])

    def fail(self, line, text):
        self.failures.append(f"{self.path}:{line}: {text}")

    def transcript(self, first, lines, measured):
        """A ```console block; returns its lines with what is printed now."""
        out, i = [], 0
        while i < len(lines):
            if not lines[i].startswith("$ "):
                self.fail(first + i, "text before the first command")
                return lines
            at = i
            command = lines[i][2:]
            while command.endswith("\\") and i + 1 < len(lines):
                i += 1
                command = command[:-1] + lines[i]
            end = i + 1
            while end < len(lines) and not lines[end].startswith("$ "):
                end += 1
            expected = lines[i + 1:end]
            out += lines[at:i + 1]
            i = end
            bare = command.split("  #")[0].strip()
            if skipped(bare):
                out += expected
                continue
            actual = self.run(bare)
            status = actual[-1] if actual and actual[-1].startswith("[exit ") else ""
            shown = [line for line in expected if line]
            if not shown or measured:
                wanted = shown[-1] if shown and shown[-1].startswith("[exit ") else ""
                good = status == wanted and (not measured or not shown or bool(actual))
            else:
                good = matches(shown, [line for line in actual if line])
            if not good:
                self.fail(first + at, f"{bare}\nexpected:\n" + "\n".join(expected) + "\nactual:\n" + "\n".join(actual[:60]))
            out += expected if good or "…" in expected or not shown else actual
        return out

    def script(self, first, lines):
        """A ```sh block."""
        for i, line in enumerate(lines):
            command = re.split(r"\s+# |^#", line)[0].strip()
            if not command or skipped(command):
                continue
            if not re.match(r"(hloir|cd|diff|ls|cp|cat)\b", command):
                self.fail(first + i, f"neither run nor in NOT_RUN: {command}")
                continue
            actual = self.run(command)
            if actual and actual[-1].startswith("[exit "):
                self.fail(first + i, f"{command}\n" + "\n".join(actual[-20:]))

    def flags_of(self, words):
        """The flags of a command, or None where there is no such command."""
        if words not in self.flags:
            done = subprocess.run([self.hloir, *words, "--help"], env=self.environment, capture_output=True, text=True)
            self.flags[words] = set(re.findall(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", done.stdout)) if done.returncode == 0 else None
        return self.flags[words]

    def inline(self, line, code):
        """`hloir COMMAND … --flag` in running text."""
        words = code.split()
        if len(words) < 2 or words[0] != "hloir" or not re.fullmatch(r"[a-z]+", words[1]) or words[1] == "COMMAND":
            return
        command = tuple(words[1:3]) if words[1] in ("fuzz", "lesson") and len(words) > 2 and re.fullmatch(r"[a-z]+", words[2]) else (words[1],)
        if words[1] in ("help", "version"):
            return
        flags = self.flags_of(command)
        if flags is None:
            self.fail(line, f"`{code}`: no such command")
            return
        if command == ("fuzz", "xla"):
            return  # the driver has the flags
        for flag in re.findall(r"(?:^| )(--[a-z][\w-]*)", code):
            if flag not in flags:
                self.fail(line, f"`{code}`: {' '.join(command)} has no flag {flag}")

    def check(self):
        lines = self.path.read_text(encoding="utf-8").split("\n")
        out, i = [], 0
        while i < len(lines):
            fence = re.fullmatch(r"```(.*)", lines[i])
            if fence:
                end = next(n for n in range(i + 1, len(lines)) if lines[n] == "```")
                block, kind = lines[i + 1:end], fence[1]
                if kind in ("console", "{.console .measured}"):
                    block = self.transcript(i + 2, block, kind != "console")
                elif kind == "sh":
                    self.script(i + 2, block)
                elif any(re.match(r"\$ ", line) for line in block):
                    self.fail(i + 1, "a block with commands must be ```console")
                elif kind == "":  # a synopsis: hloir COMMAND FILE --flag
                    for n, line in enumerate(block):
                        self.inline(i + 2 + n, re.sub(r"   .*", "", line))
                out += [lines[i], *block, "```"]
                i = end + 1
                continue
            setup = re.fullmatch(r"<!-- setup: (.*) -->", lines[i])
            if setup:
                actual = self.run(setup[1])
                if actual and actual[-1].startswith("[exit "):
                    self.fail(i + 1, f"{setup[1]}\n" + "\n".join(actual))
            for code in re.findall(r"`([^`]+)`", lines[i]):
                self.inline(i + 1, code)
            out.append(lines[i])
            i += 1
        if self.path == TREE / "README.md":
            text = "\n".join(lines)
            listed = subprocess.run([self.hloir, "--help"], env=self.environment, capture_output=True, text=True).stdout
            for command in re.findall(r"^  ([a-z]+) ", listed.split("Commands:")[1], re.M):
                for where, there in (("README.md", f"hloir {command}" in text),
                                     ("docs/hloir.1", f"\n.B {command}\n" in (TREE / "docs/hloir.1").read_text(encoding="utf-8"))):
                    if not there:
                        self.fail(1, f"{where} does not name the command {command}")
        return "\n".join(out)


def main():
    hloir, path = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "work"
        shutil.copytree(TREE / "tests/cli/data", folder)
        (folder.parent / "bin").mkdir()
        (folder.parent / "bin/hloir").symlink_to(hloir)
        for name in ("corpus", "docs", "bench", "tests"):
            if not (folder / name).exists():
                (folder / name).symlink_to(TREE / name)
        page = Page(str(hloir), path, folder)
        text = page.check()
    if os.environ.get("HLOIR_UPDATE") == "1":
        path.write_text(text, encoding="utf-8")
        return 0
    for failure in page.failures:
        print(failure)
    if page.failures:
        print(f"If the new output is right: HLOIR_UPDATE=1 ctest -R commands.{path.stem}")
    print(f"{page.run_count} commands run, {len(page.failures)} failures")
    return 1 if page.failures else 0


sys.exit(main())
