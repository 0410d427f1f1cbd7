#!/usr/bin/env python3
"""Writes the C source of netdp's Python module. Every signature and type comes from the public headers, as the C
preprocessor leaves them: what a header declares is declared nowhere here.

    bind.py COMPILER INCLUDE MODULE PREAMBLE OUTPUT
"""
import pathlib
import re
import subprocess
import sys

import cffi

# What the headers say to a compiler alone; cffi reads the rest.
SILENT = ["-DNETDP_API=", "-DNETDP_CHECK=", "-DNETDP_BEGIN=", "-DNETDP_END="]

# Numbers with a name: cffi asks the compiler for their values.
CONSTANT = re.compile(r"^#\s*define\s+(NETDP_\w+)\s+\(?-?(\d[\d.e-]*)\)?\s*(?:/\*.*)?$", re.M)

# What the preamble defines, and the one function of the C library that the headers ask for.
OURS = """
    void free(void *);
    typedef struct netdp_watch { int since; bool told; int64_t calls; } netdp_watch;
    void netdp_watch_begin(netdp_watch *watch);
    bool netdp_watch_report(void *watch, const char *what, double done, double total);
    netdp_settings netdp_settings_default(void);
    extern "Python" bool netdp_told(void *, char *, double, double);
    extern "Python" bool netdp_asked(void *, int64_t, double *, double *);
    bool netdp_ask(void *context, int64_t step, const double *model, double *gradient);
"""


def headers(include):
    """The text of every public header, each behind those that it includes, and no header of the system."""
    seen, parts = {"netdp.h"}, []

    def take(name):
        if name in seen:
            return
        seen.add(name)
        text = (include / "netdp" / name).read_text("utf-8")
        for other in re.findall(r"^#include <netdp/(\w+\.h)>", text, re.M):
            take(other)
        parts.append(re.sub(r"^#\s*include.*$", "", text, flags=re.M))

    for header in sorted((include / "netdp").glob("*.h")):
        take(header.name)
    return "\n".join(parts)


def main(compiler, include, module, preamble, output):
    source = headers(pathlib.Path(include))
    plain = subprocess.run([*compiler.split(), "-E", "-P", "-x", "c", *SILENT, "-"], input=source, check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    constants = [f"static const double {name};" if set(value) & set(".e") else f"#define {name} ..."
                 for name, value in CONSTANT.findall(source)]
    builder = cffi.FFI()
    builder.cdef("\n".join([plain, *constants, OURS]))
    builder.set_source(module, pathlib.Path(preamble).read_text("utf-8"))
    builder.emit_c_code(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
