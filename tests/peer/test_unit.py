#!/usr/bin/python3
"""The unit that netdp net init writes for systemd: no privileges, no other files, no memory that is written and executed, few system
calls. systemd finds nothing to say against it, and peers come to their end under the same filter, made here of what the unit lists."""
import ctypes
import os
import pathlib
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from peers import METERS, NETDP, Peers

STUDY = """title: A unit
graph: {family: complete 3}
data: {csv: none.csv, per_node: one, columns: [{name: age}]}
task: {kind: mean, bounds: [0, 100]}
protocol: {kind: averaging, rounds: 3}
privacy: {epsilon: 8, delta: 1e-6, over: worst, dither: 0, pair_graph: edges, pair_noise: 10}
"""
KEYS = {"NoNewPrivileges": "yes", "CapabilityBoundingSet": "", "ProtectSystem": "strict", "MemoryDenyWriteExecute": "yes", "LimitCORE": "0",
        "LimitMEMLOCK": "8M", "PrivateDevices": "yes", "RestrictNamespaces": "yes", "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX",
        "SystemCallArchitectures": "native", "SystemCallErrorNumber": "EPERM", "UMask": "0077"}
HEADER = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
LOAD, EQUAL, ANY, RETURN = 0x20, 0x15, 0x45, 0x06  # of the kernel's filter language: a word, ==, &, and what becomes of the call
ALLOW, FORBID, KILL = 0x7FFF0000, 0x00050001, 0x80000000


def settings(text):
    found = {}
    for key, value in re.findall(r"^(\w+)=(.*)$", text, re.M):
        found.setdefault(key, []).append(value)
    return found


def expand(name, seen=()):
    """The calls of a set of systemd's, and of the sets in it."""
    if not name.startswith("@"):
        return {name}
    listed = subprocess.run(["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True).stdout.splitlines()
    calls = [line.strip() for line in listed[1:] if line.startswith(" ") and not line.strip().startswith("#")]
    return set().union(*(expand(call, (*seen, name)) for call in calls if call not in seen))


def program(lines):
    """In the order of the unit: a set, or with ~ without a set; and what systemd forbids of memory."""
    allowed = set()
    for line in lines:
        listed = set().union(*(expand(word) for word in line.removeprefix("~").split()))
        allowed = allowed - listed if line.startswith("~") else allowed | listed
    number = {name: int(value) for name, value in re.findall(r"#define __NR_(\w+) (\d+)", pathlib.Path(HEADER).read_text(encoding="utf-8"))}
    code = [(LOAD, 0, 0, 4), (EQUAL, 1, 0, 0xC000003E), (RETURN, 0, 0, KILL), (LOAD, 0, 0, 0)]
    write, execute, third = 2, 4, 32  # of mmap and mprotect, and where their third argument lies
    code += [(EQUAL, 0, 5, number["mmap"]), (LOAD, 0, 0, third), (ANY, 0, 2, write), (ANY, 0, 1, execute), (RETURN, 0, 0, FORBID), (LOAD, 0, 0, 0),
             (EQUAL, 0, 4, number["mprotect"]), (LOAD, 0, 0, third), (ANY, 0, 1, execute), (RETURN, 0, 0, FORBID), (LOAD, 0, 0, 0)]
    for name in sorted(allowed & number.keys()):
        code += [(EQUAL, 0, 1, number[name]), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("HBBI", *one) for one in code + [(RETURN, 0, 0, FORBID)])


def filtered(code):
    """For preexec_fn: as systemd does it before ExecStart."""
    libc, kept = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(code, len(code))
    shape = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(kept)))

    def install():
        no_new_privileges, set_filter, by_program = 38, 22, 2
        if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(set_filter, by_program, shape) != 0:
            os._exit(99)
        return kept
    return install


with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "study.yaml").write_text(STUDY, encoding="utf-8")
    subprocess.run([NETDP, "net", "init", "study.yaml", "--names", "north,south,west", "-o", "net"], cwd=folder, check=True, capture_output=True)
    unit = pathlib.Path(folder, "net/north/netdp-north.service")
    said = settings(unit.read_text(encoding="utf-8"))
    for key, value in KEYS.items():
        assert said.get(key) == [value], (key, said.get(key))
    assert said["ReadWritePaths"] == [f'"{unit.parent.resolve()}"'], said
    assert said.get("User") == (None if os.geteuid() == 0 else [str(os.geteuid())]), said.get("User")
    calls = said["SystemCallFilter"]
    version = shutil.which("systemd-analyze") and subprocess.run(["systemd-analyze", "--version"], capture_output=True, text=True, check=True).stdout
    if not version or int(version.split()[1]) < 250:
        print("its keys are there; no systemd-analyze to ask")
        sys.exit(0)
    with unit.open("a", encoding="utf-8") as stream:
        stream.write("[Service]\nUser=1000\n")
    asked = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--no-pager", "--threshold=15", unit], capture_output=True, text=True, check=False)
    assert asked.returncode == 0, asked.stdout[-400:] + asked.stderr
    print(asked.stdout.strip().splitlines()[-1])

if platform.machine() != "x86_64" or not os.path.exists(HEADER):
    print("the filter is tried on x86_64 alone")
    sys.exit(0)
install = filtered(program(calls))
for forbidden in ("os.chroot('/')", "os.setpriority(0, 0, 0)", "__import__('mmap').mmap(-1, 4096, prot=7)"):
    refused = subprocess.run(["/usr/bin/python3", "-c", f"import os; {forbidden}"], preexec_fn=install, capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "PermissionError" in refused.stderr, (forbidden, refused)
with Peers(METERS.replace("davis", "ring 4").replace("per_node: one", "per_node: even"), noise=1) as net:
    net.before = install
    for one in range(net.count):
        net.settle(one, metrics=f"127.0.0.1:{net.first + net.count + one}")
        net.start(one)
    net.wait()
    first = net.result(0)
print(f"{net.count} peers under the unit's filter:", first["estimate"])
