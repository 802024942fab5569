# SPDX-License-Identifier: Apache-2.0
"""Unusual input for the --set family, whose parser also reads an operator's overrideValues."""

from hostile.vector import TEMPLATE, Vector, chart

VALUES = "a: {{ .Values | toJson | trunc 100 | quote }}\n"


def flag(name: str, option: str, text: str, error: str | None = None, **rest) -> Vector:
    """An attack by one flag."""
    return Vector(
        f"--{option}: {name}",
        chart({TEMPLATE: VALUES, "f": "x"}),
        error,
        arguments=(f"--{option}", text),
        **rest,
    )


BROKEN = "failed parsing --set"
ALL = [
    flag("a negative index", "set", "a[-1]=1", BROKEN),
    flag("an index that is not a number", "set", "a[x]=1", BROKEN),
    flag("an index without end", "set", "a[1=1", BROKEN),
    flag("an index beyond 64 bits", "set", "a[99999999999999999999999]=1", BROKEN),
    flag("an index of a text", "set", "a=b,a[0]=1", BROKEN),
    flag("an index of a map", "set", "a.b=1,a[0]=1", BROKEN),
    flag("a key of a text", "set", "a=b,a.b=1", BROKEN),
    flag("a key of a list", "set", "a[0]=1,a.b=1", BROKEN),
    flag("an empty key", "set", "=1"),
    flag("nothing but dots", "set", "." * 100000, BROKEN),
    flag("nothing but equals", "set", "=" * 100000),
    flag("nothing but commas", "set", "," * 100000, "cannot end with ,"),
    flag("nothing but backslashes", "set", "a=" + "\\" * 100000),
    flag("a list in a list", "set", "a={b,{c}}", BROKEN),
    flag("many lists", "set", ",".join(f"a{n}={{1,2}}" for n in range(9000))),
    flag("deep indices", "set", "a" + "[0]" * 40000 + "=1", BROKEN),
    flag("a number beyond 64 bits", "set", "a=" + "9" * 100000),
    flag("null over and over", "set", ",".join(["a=null"] * 15000)),
    flag("one key over and over", "set", ",".join(["a.b.c=1"] * 15000)),
    flag("a long key", "set", "a" * 120000 + "=1"),
    flag("lists that grow by one", "set", ",".join(f"a[{n}].b=1" for n in range(9000))),
    flag("no value", "set", "a", BROKEN),
    flag("a list of --set-string without end", "set-string", "a={1,2", BROKEN),
    flag(
        "large indices of text",
        "set-string",
        ",".join(f"a[{65536 - n}]=1" for n in range(5000)),
        cpu_seconds=20,
    ),
    flag("deep", "set-json", "a=" + '{"a":' * 20000, BROKEN),
    flag("not JSON", "set-json", "a=}{", BROKEN),
    flag("two values", "set-json", "a=1 2", BROKEN),
    flag("an invalid number of JSON", "set-json", "a=1e999999", BROKEN),
    flag("a whole document", "set-json", '{"a":' + "[" * 100000, BROKEN),
    flag("one key of JSON over and over", "set-json", "a={" + ",".join(['"k":1'] * 20000) + "}"),
    flag("everything", "set-literal", "a=" + "\\,{}[]=." * 14000),
    flag("a deep name of --set-literal", "set-literal", "a." * 60000 + "b=1", BROKEN),
    flag("a file that is not there", "set-file", "a=nowhere", BROKEN),
    flag("a folder", "set-file", "a=/", BROKEN),
    flag(
        "a file of --set-file that never ends", "set-file", "a=/dev/zero", "larger than the limit"
    ),
    flag("an address", "set-file", "a=http://169.254.169.254/x", BROKEN),
    flag("a values file from an address", "values", "http://169.254.169.254/x", "no such file"),
    flag("a values file that is a folder", "values", "/", "is a directory"),
    flag("a values file that is a pipe of nothing", "values", "-"),
]
