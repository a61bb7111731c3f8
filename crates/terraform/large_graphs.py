"""Measures `trestle graph analyze` on large inputs, and prints a table of CPU seconds and peak memory.

Usage: large_graphs.py TRESTLE FOLDER [PART-OF-A-NAME]

Writes the inputs into FOLDER. Takes the least CPU time of three runs.
"""

import json
import os
import pathlib
import subprocess
import sys

MANY = 20_000
RUNS = 3

GROUP = 'resource "azurerm_network_security_group" "all" { name = "all" }\n'


def resource(n):
    return (
        f'resource "aws_db_instance" "db{n}" {{\n  identifier          = "db{n}"\n  engine              = "postgres"\n'
        f"  storage_encrypted   = true\n  publicly_accessible = false\n  tags = {{ Name = \"db{n}\" }}\n}}\n"
    )


def rule(n, access="Allow", source="*"):
    return {
        "name": f"rule{n}",
        "priority": 100 + n,
        "direction": "Inbound",
        "access": access,
        "protocol": "Tcp",
        "source_port_range": "*",
        "destination_port_range": str(1024 + n),
        "source_address_prefix": source,
        "destination_address_prefix": "*",
    }


def rules():
    """Every rule lets the internet in, beside a hundred that deny a port each."""
    denials = [rule(n, "Deny") for n in range(100)]
    return denials + [rule(n) for n in range(100, MANY)]


def block(word, arguments):
    lines = "".join(f"  {name} = {json.dumps(value)}\n" for name, value in arguments.items())
    return f"{word} {{\n{lines}}}\n"


def instances():
    return {f"key{n}": {"name": f"name{n}", "port": n} for n in range(MANY)}


def hcl_objects():
    entries = "".join(f"    key{n} = {{ name = \"name{n}\", port = {n} }}\n" for n in range(MANY))
    return (
        f"locals {{\n  all = {{\n{entries}  }}\n}}\n"
        'resource "aws_sqs_queue" "all" {\n  for_each = local.all\n  name = each.value.name\n}\n'
    )


def plan(megabytes):
    resources, size, n = [], 0, 0
    while size < megabytes * 1_000_000:
        values = {"bucket": f"bucket-{n}", "acl": "private", "tags": {f"tag{k}": f"value {k} of {n}" for k in range(20)}}
        address = f"aws_s3_bucket.all[{n}]"
        one = {
            "address": address,
            "mode": "managed",
            "type": "aws_s3_bucket",
            "name": "all",
            "index": n,
            "provider_name": "registry.terraform.io/hashicorp/aws",
            "values": values,
        }
        resources.append(one)
        size += len(json.dumps(one)) + 2
        n += 1
    return {
        "format_version": "1.2",
        "terraform_version": "1.9.0",
        "planned_values": {"root_module": {"resources": resources}},
        "configuration": {
            "root_module": {
                "resources": [
                    {
                        "address": "aws_s3_bucket.all",
                        "mode": "managed",
                        "type": "aws_s3_bucket",
                        "name": "all",
                        "provider_config_key": "aws",
                        "expressions": {"bucket": {}, "acl": {}, "tags": {}},
                        "count_expression": {"constant_value": n},
                    }
                ]
            }
        },
    }


def inputs():
    """The files of each input by its name. A single file is analyzed by itself."""
    name = "azurerm_network_security_rule"
    yield "20,000 resources", {"main.tf": "".join(map(resource, range(MANY)))}
    yield "20,000 resources, JSON", {
        "main.tf.json": json.dumps(
            {
                "resource": {
                    "aws_db_instance": {
                        f"db{n}": {"identifier": f"db{n}", "storage_encrypted": True, "tags": {"Name": f"db{n}"}}
                        for n in range(MANY)
                    }
                }
            }
        )
    }
    yield "`for_each` over 20,000 objects", {"main.tf": hcl_objects()}
    yield "`for_each` over 20,000 objects, JSON", {
        "main.tf.json": json.dumps(
            {
                "locals": {"all": instances()},
                "resource": {"aws_sqs_queue": {"all": {"for_each": "${local.all}", "name": "${each.value.name}"}}},
            }
        )
    }
    yield "a group of Azure with 20,000 rules", {
        "main.tf": 'resource "azurerm_network_security_group" "all" {\n  name = "all"\n'
        + "".join(block("security_rule", one) for one in rules())
        + "}\n"
    }
    yield "20,000 rules of a group of Azure", {
        "main.tf": GROUP
        + "".join(
            block(
                f'resource "{name}" "rule{n}"',
                {**one, "network_security_group_name": "all"},
            )
            for n, one in enumerate(rules())
        )
    }
    yield "`for_each` over 20,000 rules of a group of Azure", {
        "main.tf": GROUP
        + "locals {\n  all = {\n"
        + "".join(f"    rule{n} = {{ priority = {100 + n}, port = \"{n}\", source = \"*\" }}\n" for n in range(MANY))
        + "  }\n}\n"
        + f'resource "{name}" "all" {{\n  for_each = local.all\n'
        + "  priority = each.value.priority\n  destination_port_range = each.value.port\n"
        + '  source_address_prefix = each.value.source\n  access = "Allow"\n  direction = "Inbound"\n'
        + "  network_security_group_name = azurerm_network_security_group.all.name\n}\n"
    }
    yield "400 files", {f"file{n}.tf": "".join(resource(n * 50 + k) for k in range(50)) for n in range(400)}
    yield "a plan of 15 MB", {"plan.json": json.dumps(plan(15))}


def measure(command):
    """CPU seconds and megabytes of memory of a command that succeeds."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed with {process.returncode}.")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    binary, folder, *only = sys.argv[1:]
    print("| input | MB | CPU seconds | peak memory in MB |")
    print("|---|--:|--:|--:|")
    for number, (name, files) in enumerate(inputs()):
        if only and only[0] not in name:
            continue
        place = pathlib.Path(folder, str(number))
        place.mkdir(parents=True, exist_ok=True)
        for old in place.iterdir():
            old.unlink()
        for path, text in files.items():
            (place / path).write_text(text)
        path = place / next(iter(files)) if len(files) == 1 else place
        command = [binary, "graph", "analyze", path, "--format", "graph", "--fail-on", "never"]
        measured = [measure(command) for _ in range(RUNS)]
        size = sum(map(len, files.values())) / 1_000_000
        cpu, memory = min(cpu for cpu, _ in measured), max(memory for _, memory in measured)
        print(f"| {name} | {size:.1f} | {cpu:.1f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
