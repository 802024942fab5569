// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// plainScalars are texts whose type, or whose quoting, is easy to get wrong.
var plainScalars = strings.Fields(`
y Y yes Yes YES yEs n N no No NO nO on On ON oN off Off OFF oFF true True TRUE tRUE false False FALSE fALSE
null Null NULL nULL ~ ~x nil none None
0 -0 +0 1 -1 +1 00 01 007 08 09 0777 0o7 0o17 0o8 -0o7 0O7 0x1 0X1F 0xff -0xff +0xff 0xg 0b1 0b101 0B1 0b2 -0b11 0b
1_000 1__0 _1 1_ 0x_f 0b1_0 1_000.5 1_0e3 +1_0
9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 18446744073709551615
18446744073709551616 123456789012345678901234567890 0xffffffffffffffff 0x8000000000000000 -0x8000000000000001
9007199254740992 9007199254740993 1000000 100000000000000000000 1000000000000000000000
1. .5 -.5 +.5 . .. 1.0 1.10 1.5e3 1e3 1E3 1e+3 1e-3 1e 1e+ e1 .e1 1.e1 1e1000 -1e1000 1e-400 1e20 1e21 1e22 1e-7 1e-6 0.1
0.000001 0.0000001 123456789.5 1234567890.123 3.0e8 1.7976931348623157e308 5e-324 0.30000000000000004 100000.0 1.2.3 1,2
.inf .Inf .INF -.inf +.inf .iNF inf Infinity -inf .nan .NaN .NAN .nAN nan
2020-01-01 2001-1-1 2001-01-01T00:00:00Z 2001-12-14t21:59:43.10-05:00 2001-12-14T21:59:43+01:30 2020-13-01 2020-1 20-01-01
12:30:45 1:2 01:02 190:20:30 -1:30 +1:30 1:60 1:2.5 190:20:30.15 1:2:3:4 60:60 :1 1:
= << - -- -a ? ?x :x x: a:b a#b #a *a &a !a !!a |a >a %a @a {a }a [a ]a ,a 'a "a a' a" a, a] a} a{ a[
--- ... ---a ...a --a - 0- -0x 0.0 -0.0 +1.5 0.0.0.0 1e3e 0xFFFFFFFFFFFFFFFFF 1__000 0_8 0_7 +0x1 -0b1 1:1_0
v1.2.3 1.2.3-rc.1 10Gi 500m 1e3m 50% $x ${x} \n \\ / /a a/b é 日本 😀
`)

// quotedScalars are string values (no plain form is tried) that decide how a string is emitted.
var quotedScalars = []string{
	"", " ", "  ", "a ", " a", " a ", "\t", "a\t", "\ta", "a\tb", "\n", "\n\n", "a\n", "a\n\n", "a\n\n\n", "\na", "\n\na",
	"a\nb", "a\nb\n", "a\nb\n\n", " a\nb", "a\n b", "a \nb", "a\n\nb", "a\n \nb", "a\tb\nc", "a\r\nb", "a\r", "\r", "a\rb",
	"a: b", "a :b", "a:", ":a", "a #b", "a# b", "#", ":", "?", "-", "- a", "? a", ": a", "-a", "a - b", "a, b", "a,b",
	"'", "''", "it's", "\"", "a\"b", "'a'", "\"a\"", "a'b\"c", "\\", "a\\b", "\\n", "%", "@", "`", "`a", "!", "&", "*", "|", ">",
	"{", "}", "[", "]", "{}", "[]", "{a}", "[a]", "{{ .x }}", "---", "--- a", "...", "... a", "---\na", "a\n---\nb", "a\n...\n",
	"\x00", "\x01", "\x07", "\x08", "\x0b", "\x0c", "\x1b", "\x1f", "\x7f", "a\x7fb", "\u0080", "\u0085", "a\u0085b", "\u009f",
	"\u00a0", "a\u00a0b", "\u00ad", "\u200b", "\u2028", "a\u2028b", "\u2029", "a\u2029b", "\ufeff", "a\ufeffb", "\ufffd", "\ufffe",
	"\u00e9", "日本語", "😀", "a😀b", "a\n😀", "\U0010ffff", "\ue000", "\ud7ff", "~", "null", "true", "Yes", "1", "1.5", "0x1", "1e3",
	"2020-01-01", "12:30:45", "=", "<<", ".inf", "0o7", "-0", "1_0", "!!str a", "&a b", "*a", "a\u0085\u0085b", "a\u2028 b", "a \u2028b",
	"x: |\n  y", "key: value\nother: value\n", "#!/bin/sh\nset -e\n\techo\n", "#!/bin/sh\nset -e\n  echo\n", "  indented\nnot\n",
	"\n  a\n", "a\n\tb\n", "<a & b>", "a\u2028b\u2029c<>&",
	strings.Repeat("a", 79), strings.Repeat("a", 80), strings.Repeat("a", 81), strings.Repeat("a", 200),
	strings.Repeat("a", 78) + " b", strings.Repeat("a", 79) + " b", strings.Repeat("a", 80) + " b", strings.Repeat("a", 80) + "  b",
	strings.TrimSpace(strings.Repeat("word ", 16)), strings.TrimSpace(strings.Repeat("word ", 17)), strings.TrimSpace(strings.Repeat("word ", 60)),
	"it's: " + strings.Repeat("word ", 30) + "x", "tab\t" + strings.Repeat("word ", 30) + "x", strings.Repeat("日本 ", 40) + "x",
	strings.Repeat("a  b ", 30) + "x", "- " + strings.Repeat("word  ", 30) + "x", strings.Repeat("word ", 20) + "\n" + strings.Repeat("word ", 20) + "x",
	strings.Repeat("word ", 20), " " + strings.Repeat("word ", 20) + "x", "\u0085" + strings.Repeat("word ", 20) + "x",
	strings.Repeat("é", 85) + " b", strings.Repeat("a", 127), strings.Repeat("a", 128), strings.Repeat("a", 129), strings.Repeat("é", 65),
}

// foldingTexts vary where the first space after column 80 falls.
func foldingTexts() []string {
	var texts []string
	for length := 72; length <= 84; length++ {
		texts = append(texts, strings.Repeat("x", length)+" y z")
		texts = append(texts, "'"+strings.Repeat("x", length)+" y z")
		texts = append(texts, "\t"+strings.Repeat("x", length)+" y z")
	}
	return texts
}

// writeScalarCases writes the case files that come from the tables above.
func writeScalarCases(dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	files := []struct {
		name   string
		inputs []string
	}{
		{"scalar_values.txt", format(plainScalars, "v: %s\n")},
		{"scalar_keys.txt", format(plainScalars, "%s: v\n")},
		{"scalar_items.txt", format(plainScalars, "- %s\n")},
		{"scalar_roots.txt", format(plainScalars, "%s\n")},
		{"string_values.txt", format(quoted(quotedScalars), "{\"v\": %s}\n")},
		{"string_keys.txt", format(quoted(quotedScalars), "{%s: 1}\n")},
		{"string_nested.txt", format(quoted(quotedScalars), "{\"a\": {\"b\": [%s]}}\n")},
		{"string_folding.txt", format(quoted(foldingTexts()), "{\"v\": %s}\n")},
	}
	for _, f := range files {
		if err := answerCases(scalarFile(f.inputs), filepath.Join(dir, f.name)); err != nil {
			return err
		}
	}
	return nil
}

func scalarFile(inputs []string) *caseFile {
	file := &caseFile{Head: []string{"# engine: yaml", "# The inputs come from tables in test/oracle/scalars.go."}}
	seen := map[string]bool{}
	for _, input := range inputs {
		if seen[input] {
			continue
		}
		seen[input] = true
		title := fmt.Sprintf("%d", len(file.Cases)+1)
		file.Cases = append(file.Cases, testCase{Title: title, Sections: []section{{Name: "input", Text: input}}})
	}
	return file
}

func format(texts []string, layout string) []string {
	var inputs []string
	for _, text := range texts {
		inputs = append(inputs, fmt.Sprintf(layout, text))
	}
	return inputs
}

// quoted writes each text as a JSON string without HTML escapes; JSON is YAML, so this input decodes to the
// text itself unless YAML forbids one of its characters.
func quoted(texts []string) []string {
	var out []string
	for _, text := range texts {
		var b strings.Builder
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(text); err != nil {
			panic(err) // A string always encodes.
		}
		out = append(out, strings.TrimSuffix(b.String(), "\n"))
	}
	return out
}
