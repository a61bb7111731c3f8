"""Compares `trestle graph analyze` with the findings of checkov in four groups, and prints a table.

Usage: compare_checkov.py TRESTLE FOLDER CHECKOV.json [--list GROUP]

FOLDER has repositories with Terraform; CHECKOV.json is what `checkov -d FOLDER --framework terraform -o json` printed.
Every folder with a configuration is analyzed as a root module by itself, as checkov does. Nothing is fetched.
"""

import collections
import json
import os
import subprocess
import sys

GROUPS = {
    "network exposure": (
        {"open-security-group", "internet-exposed", "public-datastore"},
        "CKV_AWS_24 CKV_AWS_25 CKV_AWS_260 CKV_AWS_277 CKV_AWS_17 CKV_AWS_87 CKV_AWS_89 CKV_AWS_38 CKV_AWS_39 CKV_AWS_69 "
        "CKV_AWS_88 CKV_AZURE_9 CKV_AZURE_10 CKV_AZURE_160 CKV_AZURE_77 CKV_AZURE_11 CKV_AZURE_53 CKV_AZURE_68 "
        "CKV_AZURE_115 CKV_AZURE_6 CKV_GCP_2 CKV_GCP_3 CKV_GCP_75 CKV_GCP_77 CKV_GCP_88 CKV_GCP_106 CKV_GCP_11 "
        "CKV_GCP_20 CKV_GCP_25 CKV_GCP_60",
    ),
    "public storage": (
        {"public-bucket", "public-queue", "public-policy", "public-datastore"},
        "CKV_AWS_20 CKV_AWS_57 CKV_AWS_70 CKV_AZURE_34 CKV_AZURE_59 CKV_AZURE_190 CKV_GCP_28",
    ),
    "wildcard IAM": (
        {"iam-admin", "iam-open-trust", "iam-pass-role", "iam-wildcard-action", "iam-wildcard-resource"},
        "CKV_AWS_1 CKV_AWS_49 CKV_AWS_60 CKV_AWS_62 CKV_AWS_63 CKV_AWS_107 CKV_AWS_108 CKV_AWS_109 CKV_AWS_110 "
        "CKV_AWS_111 CKV_AWS_274 CKV_AWS_286 CKV_AWS_287 CKV_AWS_288 CKV_AWS_289 CKV_AWS_290 CKV_AWS_355 CKV_AWS_356",
    ),
    "unencrypted storage": (
        {"unencrypted-datastore"},
        "CKV_AWS_3 CKV_AWS_5 CKV_AWS_8 CKV_AWS_16 CKV_AWS_26 CKV_AWS_27 CKV_AWS_29 CKV_AWS_42 CKV_AWS_43 CKV_AWS_44 "
        "CKV_AWS_47 CKV_AWS_64 CKV_AWS_74 CKV_AWS_96 CKV_AWS_140 CKV_AWS_155 CKV_AWS_156 CKV_AWS_189 CKV_AWS_235 "
        "CKV_AWS_236 CKV_AWS_240 CKV_AZURE_2 CKV_AZURE_93",
    ),
}
COLUMNS = ["found", "undecided", "clear", "not looked at", "no instances"]


def plain(address):
    """An address without keys of instances."""
    text, depth, quoted = "", 0, False
    for c in address:
        if c == '"' and depth:
            quoted = not quoted
        if c == "[" and not quoted:
            depth += 1
        if not depth:
            text += c
        if c == "]" and not quoted:
            depth -= 1
    return text


def block(address):
    """The block of an address, without its modules."""
    parts = plain(address).split(".")
    while len(parts) > 2 and parts[0] == "module":
        parts = parts[2:]
    return ".".join(parts[-3:] if "data" in parts[-3:-2] else parts[-2:])


def analyze(trestle, folder, form):
    command = [trestle, "graph", "analyze", folder, "--root", ".", "--format", form, "--fail-on", "never"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


class Folder:
    """What trestle says of one root module."""

    def __init__(self, trestle, folder):
        self.report = analyze(trestle, folder, "json")
        graph = analyze(trestle, folder, "graph")
        self.answers = collections.defaultdict(set)
        self.kinds, self.near = {}, collections.defaultdict(set)
        self.ignored = set()
        if self.report is None or graph is None:
            return
        for node in graph["nodes"]:
            if not node["id"].startswith("module."):
                self.kinds.setdefault(block(node["id"]), node["type"])
        for edge in graph["edges"]:
            self.near[block(edge["from"])].add(block(edge["to"]))
            self.near[block(edge["to"])].add(block(edge["from"]))
        for answer, list_ in (("found", "findings"), ("found", "suppressed"), ("undecided", "unresolved"), ("undecided", "notes")):
            for one in self.report[list_]:
                if "rule" in one:
                    self.answers[block(one["node"]), one["rule"]].add(answer)
        self.ignored = {one["type"] for one in self.report["notLookedAt"]}

    def answer(self, name, rules):
        """The best answer of the rules about a block, or about what it is a part of."""
        # Checkov leaves out that a block is a data source.
        name = name if name in self.kinds else f"data.{name}"
        kind = self.kinds.get(name)
        if kind is None:
            return "no instances"
        about = {name}
        if any(part in kind for part in ("rule", "policy", "bucket_", "acl")):
            about |= self.near[name]
        found = set().union(*(self.answers.get((one, rule), set()) for one in about for rule in rules))
        for answer in ("found", "undecided"):
            if answer in found:
                return answer
        return "not looked at" if kind in self.ignored else "clear"


def main():
    trestle, root, checkov = sys.argv[1:4]
    listed = sys.argv[5] if len(sys.argv) > 5 else None
    checkov = json.load(open(checkov, encoding="utf-8"))
    failed = collections.defaultdict(lambda: collections.defaultdict(set))
    for one in checkov["results"]["failed_checks"]:
        name = block(one["resource"])
        # A module's resources are judged where the module is a root itself.
        place = os.path.normpath(os.path.join(root, one["file_path"].lstrip("/")))
        for group, (_, checks) in GROUPS.items():
            if one["check_id"] in checks.split():
                failed[os.path.dirname(place)][group, name].add(one["check_id"])
    folders = {at for at, _, files in os.walk(root) if any(file.endswith(".tf") for file in files)}
    table = {group: collections.Counter() for group in GROUPS}
    unreadable = 0
    for at in sorted(folders):
        folder = Folder(trestle, at)
        unreadable += folder.report is None
        for (group, name), checks in sorted(failed.get(at, {}).items()):
            answer = folder.answer(name, GROUPS[group][0])
            table[group][answer] += 1
            if listed == group and answer != "found":
                print(answer, at, name, " ".join(sorted(checks)))
        if folder.report is None:
            continue
        for group, (rules, _) in GROUPS.items():
            own = {block(one["node"]) for one in folder.report["findings"] if one["rule"] in rules and not one["node"].startswith("module.")}
            theirs = {name for of, name in failed.get(at, {}) if of == group}
            theirs |= set().union(*(folder.near[name] for name in theirs), set())
            extra = own - theirs
            table[group]["only here"] += len(extra)
            if listed == group:
                for name in sorted(extra):
                    print("only here", at, name)
    columns = COLUMNS + ["only here"]
    print("| group | of checkov | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 2) + "|")
    for group, counts in table.items():
        total = sum(counts[column] for column in COLUMNS)
        print(f"| {group} | {total} | " + " | ".join(str(counts[column]) for column in columns) + " |")
    print(f"\n{len(folders)} folders, {unreadable} that cannot be analyzed.")


main()
