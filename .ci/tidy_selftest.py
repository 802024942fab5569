# SPDX-License-Identifier: Apache-2.0
"""Verifies that each rule of tidy.py fires, and that a clean tree passes: `.ci/tidy.py
--self-test`.
"""

import pathlib
import sys
import tempfile
import unittest.mock

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HASH_SPDX = "# SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"
EXECUTABLE = "#!/bin/sh\n" + HASH_SPDX

# A tree that breaks no rule. Every sample below is this tree with some files added or replaced.
CLEAN = {
    "CMakeLists.txt": HASH_SPDX,
    "README.md": (
        "# Title\n\n```\nOf late.\n```\n\n## What a heading says\n\nWhat is a question?\n"
    ),
    "charts/shop/Chart.yaml": "name: shop\n",
    "scripts/tool.sh": EXECUTABLE,
    "Makefile": HASH_SPDX + "all:\n\tscripts/tool.sh\n",
    "src/base/CMakeLists.txt": HASH_SPDX + "cw_module(base)\n",
    "src/base/text.h": HEADER,
    "src/base/text.cc": (
        SPDX
        + '#include "base/text.h"\n// std::cout << new int;\nText(const Text&) = delete;\nconst'
        " char* const kText = \"std::mutex using namespace\";\nconst int kBig = 1'000'000;\n//"
        ' Returns the key; "" if there\n// is none, or one that is no longer valid.\nconst bool'
        " is = a == b ? c : d;\nint m(M<A, F(B, C)> m, int a = f(1, 2), int b = {}, int c = 3,"
        " int d = 4);\nconst int i = (a ? 1 : 2) + f(b ? 3 : 4, g(c ? 5 : 6));\nconst int j = a ?"
        " f(b ? 1 : 2) : 3;\n  static const int kOne = 1;\n  static int f(const T& t);\n  static"
        " int g() { return h(); }\nstatic const std::map<int, int*> kMap;\nthread_local const"
        " int* const kEnd = end();\nint k() {\n  int* p = q();\n}\nconst bool control = c < ' '"
        " || c == 127;\nreturn done ? leave() : step();\n"
    ),
    "src/value/CMakeLists.txt": HASH_SPDX + "cw_module(value USES cw_base)\n",
    "src/value/json.cc": SPDX + '#include <nlohmann/json.hpp>\n#include "base/text.h"\n',
    "test/base/CMakeLists.txt": HASH_SPDX + "cw_module_test(base)\n",
    "test/base/text_test.cc": (
        SPDX + '#include <catch2/catch.hpp>\n#include "base/text.h"\n'
        'const char* kCases = "base/texts.txt";\n'
    ),
    "test/cases/base/texts.txt": "a\r\n=== the rest is kept\n--- template\nA text that is none.\n",
    "test/golden/shop/plain/cr.yaml": "{}\n",
    "test/golden/shop/plain/want.yaml": "{}\n",
    "test/value/CMakeLists.txt": HASH_SPDX + "cw_module_test(value)\n",
    "test/value/json_test.cc": SPDX,
}


def cc(*lines: str) -> dict[str, str]:
    return {
        "src/base/text.cc": (
            SPDX + '#include "base/text.h"\n' + "".join(line + "\n" for line in lines)
        )
    }


CURL = HEADER + "#include <curl/curl.h>\n"
KUBE = {"src/kube/CMakeLists.txt": HASH_SPDX + "cw_module(kube)\n", "src/kube/curl_x.h": CURL}

# Rule, change to the clean tree, and words of the expected finding.
SAMPLES: list[tuple[str, dict[str, str | bytes | None], str]] = [
    ("include-direction", cc('#include "value/json.h"'), "base must not include value"),
    ("include-direction", cc('#include "text.h"'), "by its path from src/"),
    ("include-direction", cc('#include "test/base/clock.h"'), "by its path from src/"),
    ("include-direction", cc('#include "vendor/x.h"'), "in no module"),
    ("include-direction", {"src/extra/a.h": HEADER}, "is not a room"),
    (
        "include-direction",
        {"test/base/text_test.cc": SPDX + '#include "base/text.h"\n#include "value/json.h"\n'},
        "base must not include value",
    ),
    # A room may not include all that it links.
    (
        "include-direction",
        {
            "src/base/CMakeLists.txt": HASH_SPDX + "cw_module(base PRIVATE cw_value)\n",
            **cc('#include "value/json.h"'),
        },
        "base must not include value",
    ),
    (
        "room-circle",
        {"src/base/CMakeLists.txt": HASH_SPDX + "cw_module(base USES cw_value PRIVATE cw_re2)\n"},
        "base uses itself",
    ),
    # A folder's private header, included from another folder and from a public header.
    (
        "include-direction",
        KUBE | {"src/kube/a.h": HEADER + '#include "kube/curl_x.h"\n'},
        "for the .cc files of kube only",
    ),
    (
        "include-direction",
        KUBE
        | {
            "src/runtime/CMakeLists.txt": HASH_SPDX + "cw_module(runtime USES cw_kube)\n",
            "src/runtime/a.cc": SPDX + '#include "kube/curl_x.h"\n',
        },
        "for the .cc files of kube only",
    ),
    ("third-party", {"src/kube/a.h": CURL}, "src/kube/*.cc only"),
    ("third-party", cc("#include <nlohmann/json.hpp>"), "src/value/*.cc only"),
    ("third-party", cc("#include <catch2/catch.hpp>"), "in tests only"),
    ("third-party", cc("#include <zstd.h>"), "belongs to no module"),
    (
        "third-party",
        {"src/value/json.h": HEADER + "#include <nlohmann/json.hpp>\n"},
        "src/value/*.cc only",
    ),
    ("size", cc(*["int i;"] * 700), "702 lines"),
    (
        "python-after-fork",
        {"test/conftest.py": HASH_SPDX + "run(command, preexec_" + "fn=limit)\n"},
        "setpriv",
    ),
    ("room-size", {f"src/base/file{n}.h": HEADER for n in range(50)}, "52 files"),
    (
        "room-size",
        {f"src/base/file{n}.h": HEADER + "int i;\n" * 690 for n in range(9)},
        "the limits are 50 and 6000",
    ),
    (
        "unit-circle",
        {
            "src/base/a.h": HEADER,
            "src/base/a.cc": SPDX + '#include "base/b.h"\n',
            "src/base/b.h": HEADER + '#include "base/a.h"\n',
        },
        "base/a -> base/b -> base/a",
    ),
    ("license-header", {"src/base/text.h": "#pragma once\n"}, "SPDX"),
    ("license-header", {"scripts/tool.sh": "#!/bin/sh\n"}, "SPDX"),
    ("header-guard", {"src/base/text.h": SPDX}, "#pragma once"),
    ("banned", cc("std::thread t;"), "base/thread.h"),
    ("banned", cc("std::jthread t;"), "base/thread.h"),
    ("banned", cc("std::mutex m;"), "base/mutex.h"),
    ("banned", cc("std::shared_mutex m;"), "base/mutex.h"),
    ("banned", cc("std::lock_guard l(m);"), "base/mutex.h"),
    ("banned", cc("auto t = std::chrono::system_clock::now();"), "Clock"),
    ("banned", cc("auto t = std::chrono::steady_clock::now();"), "Clock::monotonic"),
    ("banned", cc("int i = std::stoi(s);"), "parse_int"),
    ("banned", cc("double d = strtod(s, nullptr);"), "parse_double"),
    ("banned", cc("std::cerr << 1;"), "Logger"),
    ("banned", cc('std::printf("x");'), "Logger"),
    ("banned", cc("std::this_thread::sleep_for(s);"), "wait_until"),
    ("banned", cc("std::regex r;"), "RE2"),
    ("banned", cc('std::getenv("HOME");'), "handed down from cmd"),
    ("banned", cc("using namespace std;"), "using-declaration"),
    ("banned", cc("int* p = new int;"), "make_unique"),
    ("banned", cc("delete p;"), "make_unique"),
    ("banned", cc("delete[] p;"), "make_unique"),
    ("banned", cc("throw Error();"), "Result<T>"),
    ("banned", cc("assert(x);"), "CW_CHECK"),
    ("banned", cc("strerror(errno);"), "generic_category"),
    ("banned", cc("std::random_device d;"), "random_bytes"),
    ("banned", cc("strcpy(a, b);"), "std::string"),
    (
        "banned",
        {"test/base/text_test.cc": SPDX + '#include "base/text.h"\nsleep(1);\n// base/texts.txt\n'},
        "wait_until",
    ),
    ("banned", cc("return c >= '0' && c <= '9';"), "`>= '0' && c <= '9'`: use is_ascii_digit"),
    ("banned", cc("return c < U'a' || c > U'z';"), "base/ascii.h"),
    ("nested-ternary", cc("int i = a ? 1 : b ? 2 : 3;"), "return early"),
    ("nested-ternary", cc("int i = a ? 1 : (b ? 2 : 3);"), "return early"),
    ("nested-ternary", cc("f(x, a ? (b ? 1 : 2)", "       : 3);"), "return early"),
    (
        "nested-ternary",
        {
            "test/base/text_test.cc": SPDX
            + '#include "base/text.h"\nint i = a ? 1 : b ? 2 : 3;\n// base/texts.txt\n'
        },
        "return early",
    ),
    (
        "test-case-length",
        {
            "test/base/text_test.cc": SPDX
            + '#include "base/text.h"\nTEST_CASE("A") {\n'
            + "\n" * 70
            + "}\n// base/texts.txt\n"
        },
        "split it by subject",
    ),
    ("folded-if", cc("CW_TRY_VOID(a ? f() : base::Status());"), "use an if"),
    ("folded-if", cc("return a ? f()", "         : Status();"), "use an if"),
    ("folded-if", cc("auto x = a ? f() : base::Status();"), "use an if"),
    ("folded-if", cc("x = a ? base::Status()", "      : f();"), "use an if"),
    (
        "parameters",
        cc("int f(int a, int b, int c, int d, int e, int g) { return 0; }"),
        "f has 6 parameters, the limit is 5",
    ),
    (
        "parameters",
        {
            "src/base/text.h": (
                HEADER + "struct T {\n  T(int a, int b, int c, int d, int e,\n    int f);\n};\n"
            )
        },
        "pass a struct",
    ),
    (
        "mutable-global",
        cc("int f() {", "  static base::TextCache<int> cache(64);", "}"),
        "cache is global and can change",
    ),
    (
        "mutable-global",
        cc("int f() {", "  static thread_local std::map<int, const int> cache;", "}"),
        "cache is global",
    ),
    ("mutable-global", cc("int f() {", "  thread_local int calls = 0;", "}"), "calls is global"),
    (
        "mutable-global",
        cc("int f() {", "  static std::vector<const char*>", "      names;", "}"),
        "names is global",
    ),
    ("mutable-global", cc("static int calls = 0;"), "calls is global"),
    ("mutable-global", cc("namespace {", "int calls = 0;", "}"), "calls is global"),
    ("mutable-global", cc("thread_local constinit int calls = 0;"), "calls is global"),
    ("mutable-global", cc("const char* last = nullptr;"), "last is global"),
    ("mutable-global", {"src/base/text.h": HEADER + "inline int calls = 0;\n"}, "calls is global"),
    (
        "mutable-global",
        {"src/base/text.h": HEADER + "struct T {\n  static inline T* last = nullptr;\n};\n"},
        "last is global",
    ),
    (
        "mutable-global",
        {
            "src/base/text.h": (
                HEADER + "inline int f() {\n  static int calls = 0;\n  return ++calls;\n}\n"
            )
        },
        "calls is global",
    ),
    (
        "mutable-global",
        {
            "test/base/text_test.cc": (
                SPDX + '#include "base/text.h"\nint f() {\n  static int calls = 0;\n}\n//'
                " base/texts.txt\n"
            )
        },
        "calls is global",
    ),
    (
        "mutable-global",
        {"src/value/value.cc": SPDX + "thread_local int nested = 0;\n"},
        "MUTABLE_GLOBALS names aside, which is not one",
    ),
    ("process-end", cc("CW_CHECK(x);"), "1 places may end the process, 0 are known"),
    ("process-end", cc("auto x = CW_MUST(read());"), "return an Error"),
    ("process-end", cc("std::abort();"), "return an Error"),
    ("process-end", cc("std::terminate();"), "return an Error"),
    ("process-end", cc("int i = std::get<int>(v);"), "return an Error"),
    ("process-end", cc("const T& t = dynamic_cast<const T&>(base);"), "return an Error"),
    ("process-end", cc("_exit(1);"), "return an Error"),
    (
        "process-end",
        {"src/base/thread.cc": SPDX + "CW_CHECK(a);\nCW_CHECK(b);\nCW_CHECK(c);\nCW_CHECK(d);\n"},
        "4 places",
    ),
    ("process-end", {"src/base/thread.cc": SPDX + "// CW_CHECK(a);\n"}, "lower it"),
    ("lint-exemption", cc("int i;  // NOLINT"), "NOLINT(check-name): reason"),
    ("lint-exemption", cc("int i;  // NOLINT: it is fine"), "NOLINT(check-name): reason"),
    ("lint-exemption", cc("int i;  // NOLINT(bugprone-x)"), "why"),
    ("open-ends", cc("// TODO: later"), "TODO(#123)"),
    ("open-ends", {"scripts/tool.sh": EXECUTABLE + "# FIXME later\n"}, "FIXME(#123)"),
    ("dead-file", {"src/base/unused.h": HEADER}, "no file includes"),
    ("dead-file", {"src/base/CMakeLists.txt": HASH_SPDX}, "no CMakeLists.txt builds"),
    ("dead-file", {"scripts/unused.py": HASH_SPDX}, "imports or runs"),
    ("untested", {"src/base/more.cc": SPDX}, "test/base/more_test.cc"),
    (
        "untested",
        {
            "src/base/more.h": HEADER,
            "src/base/more.cc": SPDX + '#include "base/text.h"\n#include "base/more.h"\n',
        },
        "test/base/more_test.cc",
    ),
    # A test of another room includes the header.
    (
        "untested",
        {
            "src/base/more.h": HEADER,
            "src/base/more.cc": SPDX + '#include "base/more.h"\n',
            "test/value/json_test.cc": SPDX + '#include "base/more.h"\n',
        },
        "test/base/more_test.cc",
    ),
    (
        "untested",
        {"src/base/budget.h": HEADER, "src/base/budget.cc": SPDX + '#include "base/budget.h"\n'},
        "TESTED_BY names test/tmpl/budget_test.cc, which does not exist",
    ),
    ("untested", {"src/tmpl/x/lexer.cc": SPDX}, "add test/tmpl/x/lexer_test.cc"),
    (
        "untested",
        {"test/base/unicode_test.cc": SPDX},
        "needs no entry for src/base/unicode_tables.cc",
    ),
    ("untested", {"test/value/json_test.cc": None}, "add test/value/json_test.cc"),
    (
        "untested",
        {"src/helm/render/x.cc": SPDX, "test/helm/render/cases_test.cc": None},
        "add some to test/helm/render",
    ),
    ("orphan-case", {"test/cases/other/a.txt": "a\n"}, "no test reads"),
    ("orphan-case", {"test/golden/shop/plain/want.yaml": None}, "want.error"),
    ("orphan-case", {"test/golden/shop/plain/want.error": "e\n"}, "exactly one"),
    ("orphan-case", {"test/golden/shop/plain/cr.yaml": None}, "needs an input"),
    ("orphan-case", {"charts/shop/Chart.yaml": None}, "no chart shop"),
    ("file-kind", {"src/base/text.o": b"\x7fELF\n"}, "unexpected kind"),
    (
        "file-kind",
        {"src/base/run": "echo\n", "scripts/x.sh": "#!/bin/sh\n"},
        "is executable but no script",
    ),
    ("file-kind", {"scripts/tool.sh": "#!/bin/sh\n" + HASH_SPDX + " "}, "white space"),
    ("file-kind", {"README.md": "# T\nx"}, "does not end with a line break"),
    ("file-kind", {"README.md": "# T\r\n"}, "carriage returns"),
    ("file-kind", {"README.md": "# T\n" + "x\n" * 300_000}, "the limit is 524288"),
    ("file-kind", {"scripts/link.sh": "-> tool.sh"}, "symbolic link"),
    ("file-kind", {"scripts/plain.sh": EXECUTABLE}, "is a script but not executable"),
    (
        "listed-end-to-end-tests",
        {"test/e2e/README.md": "# e2e\n", "test/e2e/test_a.py": HASH_SPDX},
        "has no row for it",
    ),
    (
        "listed-threads",
        cc('base::Thread one("one:" + std::to_string(n), base::kRenderStackBytes, [] {});'),
        "does not list the thread one:",
    ),
    ("root-file", {"values.schema.json": "{}\n"}, "does not belong in the root"),
    ("fragments", {"changelog.d/a.md": "A change.\n"}, "is not NAME.KIND.md"),
    ("fragments", {"changelog.d/a.fixed.md": "A change.\n" * 7}, "has not 1 to 6 lines"),
    ("fragments", {"changelog.d/a.fixed.md": "# A change\n"}, "whole sentences"),
    (
        "named-sources",
        {"docs/a.md": "# T\nSee `base/text.cc` and `base/gone.cc`.\n"},
        "there is no base/gone.cc",
    ),
    ("test-name", {"test/base/text_test.cc": SPDX + 'TEST_CASE("a key") {}\n'}, "a capital"),
    ("fragment", {"src/base/text.h": HEADER + "int i;  ///< Of both.\n"}, "begin with a noun"),
    ("fragment", {"src/base/text.cc": SPDX + "\n// Of both.\nint i;\n"}, "begin with a noun"),
    ("english", cc("// What a reader sees."), "a noun phrase"),
    ("english", cc("int i;  ///< Few. What", "        ///< is left."), "a noun phrase"),
    ("english", cc("// Two lines that cannot be told", "// apart."), "distinguished"),
    ("english", {"README.md": "# T\n\nOf late.\n"}, "recently"),
    ("english", {"README.md": "# T\n\n- A key that\n  is none.\n"}, "there is none"),
    ("english", {"README.md": "# T\n\n| a | that is no key |\n"}, "that is not a"),
    ("english", {"README.md": "# T\n\nKeys that are no\nnames.\n"}, "that are not"),
    ("english", {"test/conftest.py": HASH_SPDX + '"""Serves whoever asks."""\n'}, "anyone who"),
    ("english", {"test/conftest.py": HASH_SPDX + "x = 1  # It gives way.\n"}, "yields"),
    ("english", cc("// Mends it."), "fix"),
    ("english", cc("// The label that tells them", "// apart."), "identifies"),
    ("english", cc("// It is no object."), '"is not a'),
    (
        "english",
        {
            "test/base/text_test.cc": (
                SPDX + '#include "base/text.h"\nTEST_CASE("what is left is kept") {}\n//'
                " base/texts.txt\n"
            )
        },
        "a noun phrase",
    ),
    (
        "english",
        {"test/cases/base/texts.txt": "# engine: go\n=== a key that is none\n--- template\n"},
        "there is none",
    ),
    (
        "english",
        {"test/cases/base/texts.txt": "=== what is left is kept\n--- template\n"},
        "a noun phrase",
    ),
    ("english", {"CHANGELOG.md": "# T\n\nOf late.\n"}, "recently"),
    ("english", {"src/base/README.md": "# T\n\nOf late.\n"}, "recently"),
    ("english", {"scripts/tool.sh": EXECUTABLE + "# Serves whoever asks.\n"}, "anyone who"),
    (
        "english",
        {"Makefile": HASH_SPDX + "all: ## Serve whoever asks\n\tscripts/tool.sh\n"},
        "anyone who",
    ),
]

# Paths that are made executable; for some of them that is the error.
EXECUTABLE_PATHS = {"scripts/tool.sh", "scripts/x.sh", "src/base/run"}


def build(tidy, root: pathlib.Path, files: dict[str, str | bytes | None]):
    present = {path: content for path, content in files.items() if content is not None}
    for path, content in present.items():
        full = root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str) and content.startswith("-> "):
            full.symlink_to(content[3:])
            continue
        full.write_bytes(content if isinstance(content, bytes) else content.encode())
        full.chmod(0o755 if path in EXECUTABLE_PATHS else 0o644)
    return tidy.Repository(root, present)


def findings_of(tidy, files: dict[str, str | bytes | None]) -> list:
    with tempfile.TemporaryDirectory(prefix="tidy.") as folder:
        return tidy.check(build(tidy, pathlib.Path(folder), files))


def run(tidy) -> int:
    failures = [f"finding in the clean tree: {finding}" for finding in findings_of(tidy, CLEAN)]
    for rule, change, words in SAMPLES:
        findings = findings_of(tidy, CLEAN | change)
        if not any(f.rule == rule and words in f.text for f in findings):
            failures.append(
                f"{rule}: no finding says {words!r} for {sorted(change)}; found"
                f" {[str(f) for f in findings]}"
            )
    with unittest.mock.patch.dict(
        tidy.tidy_rooms.TESTED_BY, {"src/base/u*.cc": "test/value/json_test.cc"}
    ):
        if not any(
            "is in another room than src/base/u*.cc" in f.text for f in findings_of(tidy, CLEAN)
        ):
            failures.append(
                "untested: no finding says that a name with a wildcard has a test of another room"
            )
    for rule in sorted(set(tidy.RULES) - {rule for rule, _, _ in SAMPLES}):
        failures.append(f"{rule}: has no sample in tidy_selftest.py")
    for failure in failures:
        print(failure)
    print(f"tidy self-test: {len(SAMPLES)} samples, {len(failures)} failures", file=sys.stderr)
    return 1 if failures else 0
