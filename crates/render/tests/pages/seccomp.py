"""Runs a program under a seccomp profile in the format of containers: seccomp.py PROFILE PROGRAM [ARGUMENT]...

Uses libseccomp, as container runtimes do.
"""

import ctypes
import json
import os
import sys

ACTIONS = {"SCMP_ACT_ALLOW": 0x7FFF0000, "SCMP_ACT_ERRNO": 0x00050000}
COMPARISONS = {"SCMP_CMP_NE": 1, "SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}


class Comparison(ctypes.Structure):
    _fields_ = [
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("datum_a", ctypes.c_uint64),
        ("datum_b", ctypes.c_uint64),
    ]


def action(rule, key, errno_key):
    number = ACTIONS[rule[key]]
    return number | rule.get(errno_key, 1) if rule[key] == "SCMP_ACT_ERRNO" else number


def main():
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    with open(sys.argv[1]) as file:
        profile = json.load(file)
    default = action(profile, "defaultAction", "defaultErrnoRet")
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(default)))
    for rule in profile["syscalls"]:
        comparisons = [
            Comparison(arg["index"], COMPARISONS[arg["op"]], arg["value"], arg["valueTwo"])
            for arg in rule.get("args", [])
        ]
        comparisons = (Comparison * len(comparisons))(*comparisons)
        for name in rule["names"]:
            number = library.seccomp_syscall_resolve_name(name.encode())
            if number < 0:
                # Another architecture's.
                continue
            failed = library.seccomp_rule_add_array(
                context,
                ctypes.c_uint32(action(rule, "action", "errnoRet")),
                ctypes.c_int(number),
                ctypes.c_uint(len(comparisons)),
                comparisons,
            )
            if failed:
                sys.exit(f"{name}: error {failed}")
    # Also sets no_new_privs.
    failed = library.seccomp_load(context)
    if failed:
        sys.exit(f"the filter cannot be loaded: error {failed}")
    os.execv(sys.argv[2], sys.argv[2:])


main()
