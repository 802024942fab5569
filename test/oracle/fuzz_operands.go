// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Kinds of operands, a letter each. What a parameter asks for is mostly given and sometimes not.
const (
	anyKind       = 'a'
	boolKind      = 'b'
	countKind     = 'c' // a small int: how often, how wide, how many
	dictKind      = 'd'
	freshKind     = 'f' // a dict that no other dict holds, so that merging it makes no cycle
	intKind       = 'i'
	strictIntKind = 'I' // of Go's type int
	jsonKind      = 'j'
	keyKind       = 'k'
	listKind      = 'l'
	numberKind    = 'n'
	pathKind      = 'p'
	regexKind     = 'r'
	stringKind    = 's'
	timeKind      = 't' // never wrong: whatever is no time is the current one
	urlKind       = 'u'
	versionKind   = 'v'
	scalarKind    = 'x' // a literal, which can be stored anywhere without making a cycle
	yamlKind      = 'y'
	replaceKind   = 'R'
	layoutKind    = 'L'
	dateKind      = 'D'
	durationKind  = 'P'
	zoneKind      = 'Z'
	boundsKind    = 'V' // a version constraint
	tomlKind      = 'T'
	goTypeKind    = 'G'
	freshList     = 'F' // a list without hidden capacity
)

// operandKinds are the kinds a wrong operand is taken from.
const operandKinds = "aabcdijklnprsuvy"

// signatures holds the functions to call: name, kind of the result, kinds of the parameters; a star repeats the
// kind before it. Left out are those whose result depends on chance, on the clock, on the machine or on the order of
// Go's maps, and derivePassword, which takes its time.
const signatures = `
trim s s; trimAll s s s; trimall s s s; trimSuffix s s s; trimPrefix s s s; upper s s; lower s s; title s s
repeat s c s; replace s s s s; contains b s s; hasPrefix b s s; hasSuffix b s s; indent s c s; nindent s c s
trunc s I s; substr s c c s; quote s a*; squote s a*; cat s a*; toString s a; toStrings l l; join s s l; sortAlpha l l
split d s s; splitn d s c s; splitList l s s; plural s s s I; hello s; fail s s; required a s a
nospace s s; initials s s; untitle s s; swapcase s s; abbrev s I s; abbrevboth s I I s; wrap s I s; wrapWith s I s s
camelcase s s; snakecase s s; kebabcase s s; default a a a; empty b a; coalesce a a*; all b a*; any b a*
ternary a a a b; list l a*; tuple l a*; append l l a; push l l a; mustAppend l l a; mustPush l l a; prepend l l a
mustPrepend l l a; first a l; mustFirst a l; last a l; mustLast a l; rest l l; mustRest l l; initial l l
mustInitial l l; reverse l l; mustReverse l l; compact l l; mustCompact l l; uniq l l; mustUniq l l; without l l a*
mustWithout l l a*; has b a l; mustHas b a l; slice l F c c; mustSlice l F c; concat l l*; chunk l c l; mustChunk l c l
dict d k a k a; get a d k; set d d k x; unset d d k; hasKey b d k; pluck l k d*; pick d d k*; omit d d k*
merge d d f*; mustMerge d d f*; mergeOverwrite d d f*; mustMergeOverwrite d d f*; deepCopy a a; mustDeepCopy a a
dig a k a d; int i a; int64 i a; float64 n a; atoi i s; toDecimal i a; add1 i n; add i n*; sub i n n; mul i n n*
div i n n; mod i n n; max i n n*; biggest i n n*; min i n n*; maxf n n n*; minf n n n*; floor n n; ceil n n; round n n c
add1f n n; addf n n*; subf n n n*; mulf n n n*; divf n n n*; until l c; untilStep l c c c; seq s c*
b64enc s s; b64dec s s; b32enc s s; b32dec s s; sha1sum s s; sha256sum s s; sha512sum s s; adler32sum s s
toJson s a; mustToJson s a; toPrettyJson s a; mustToPrettyJson s a; toRawJson s a; mustToRawJson s a
fromJson d j; fromJsonArray l j; mustFromJson a j; toYaml s a; toYamlPretty s a; fromYaml d y; fromYamlArray l y
toToml s d; fromToml d T; typeOf s a; typeIs b G a; typeIsLike b G a; kindOf s a; kindIs b G a; deepEqual b a a
base s p; osBase s p; dir s p; osDir s p; clean s p; osClean s p; ext s p; osExt s p; isAbs b p; osIsAbs b p
regexMatch b r s; mustRegexMatch b r s; regexFind s r s; mustRegexFind s r s; regexFindAll l r s I
mustRegexFindAll l r s I; regexReplaceAll s r s R; mustRegexReplaceAll s r s R; regexReplaceAllLiteral s r s R
mustRegexReplaceAllLiteral s r s R; regexSplit l r s I; mustRegexSplit l r s I; regexQuoteMeta s s
semver a v; semverCompare b V v; date s L t; dateInZone s L t Z; date_in_zone s L t Z; htmlDate s t
htmlDateInZone s t Z; dateModify t P t; mustDateModify a P t; toDate t L D; mustToDate a L D; unixEpoch s t
duration s P; durationRound s P; urlParse d u; urlJoin s d; lookup d s s s s
and a a*; or a a*; not b a; eq b a a*; ne b a a; lt b n n; le b n n; gt b s s; ge b n n; len i l; index a l c; index a d k
html s a*; js s a*; urlquery s a*; print s a*; println s a*; call a a; sortAlpha l s; len i s; len i d; index a s c
toYaml s d; toJson s d; toString s n; default s s s; default n n n; default l l l; default d d d; ternary s s s b
get s d k; first s l; eq b s s; eq b n n; eq b i i; lt b i i; tpl s s a
`

// signature is a function with the kinds of its result and parameters.
type signature struct {
	name   string
	result rune
	params []rune
	repeat bool // the last parameter may come any number of times
}

var (
	byResult = map[rune][]signature{}
	byLast   = map[rune][]signature{} // those that take the kind as their last operand: ends of pipelines
)

func init() {
	for _, text := range strings.FieldsFunc(signatures+ownSignatures, func(r rune) bool { return r == ';' || r == '\n' }) {
		words := strings.Fields(text)
		s := signature{name: words[0], result: rune(words[1][0])}
		for _, word := range words[2:] {
			s.params = append(s.params, rune(word[0]))
			s.repeat = strings.HasSuffix(word, "*")
		}
		byResult[s.result] = append(byResult[s.result], s)
		if len(s.params) > 0 {
			last := s.params[len(s.params)-1]
			byLast[last] = append(byLast[last], s)
		}
	}
}

// literals holds ready operands of each kind.
var literals = map[rune][]string{
	boolKind:  {"true", "false"},
	countKind: {"0", "1", "2", "3", "5", "-1", "4", "0x3", "'\\x02'", "7"},
	intKind: {"0", "1", "2", "3", "-1", "-7", "10", "42", "0x1F", "0o17", "0b101", "1_000", "017", "'a'", "'\\n'", "'é'", "80",
		"65536", "1000000", "9223372036854775807", "-9223372036854775808", "+4"},
	numberKind: {"0", "1", "2.5", "-2.5", "1e3", "0x1p4", "1.0", "3.14159", "1e21", "1e-7", "123456789", "-0.0", "0.1", "0.5", "1.5",
		".5", "1e6", "10", "3", "7", "-3", "\"3\"", "\"2.5\"", "\"010\"", "1000000.0"},
	keyKind: {`"a"`, `"b"`, `"c"`, `"s"`, `"n"`, `"l"`, `"a b"`, `""`, `"é"`, `"k10"`, `"k2"`, `"Name"`, `"0"`, `"_0"`},
	regexKind: {`"a+"`, `"[a-z]+"`, `"(a)(b)?"`, `"^\\s*$"`, "`\\d+`", "`(?i)FOO`", `"("`, `"[z-a]"`, `"a**"`, `""`, `"é|x"`, "`\\bfoo\\b`",
		"`(?P<n>o)`", `"."`, "`\\pL+`", `"a{2,1}"`, "`\\8`", "`(?s).*`", "`(?m)^.`", "`[[:alpha:]]+`", `"(?=x)"`, `"x*"`, "`[^\\n]$`"},
	replaceKind: {`"$1"`, `"${1}x"`, `"$0-"`, `""`, `"$1W"`, `"$$"`, `"${n}"`, `"\\1"`, `"<x>"`},
	pathKind:    {`"/a/b/c.txt"`, `"a//b/../c"`, `"."`, `""`, `"/"`, `"a/"`, `".hidden"`, `"a.b.c"`, `"../x"`, `"/.."`},
	urlKind: {`"https://u:p@example.com:8080/a%20b/c?q=1&r=é#frag"`, `"/only/path"`, `"mailto:a@b.c"`, `"http://[::1]:80/"`, `"%zz"`, `""`,
		`"http://a b/"`, `"//host"`, `"http://x:port/"`, `"a:b:c"`, `"http://h/?a;b"`},
	versionKind: {`"1.2.3"`, `"v1.20.0-gke.1"`, `"1"`, `"1.2"`, `"1.2.3-alpha.1+build.5"`, `"0.0.3"`, `"x"`, `""`, `"1.2.3.4"`, `"01.2.3"`,
		`"2.0.0-rc1"`, `"1.2.3-01"`, `"99999999999999999999.0.0"`},
	boundsKind: {`">=1.2"`, `"^1.2.3"`, `"~1.2"`, `"1.x"`, `"*"`, `">1 <2 || 3"`, `">=1.20-0"`, `"1.2 - 2.0"`, `"!=1.2.3"`, `">= x.y"`, `""`,
		`"^0.0.3"`, `"=>1"`, `">=1.0.0, <2"`, `"~> 1.2.3-beta"`, `"^0"`, `"<=1.2.x"`},
	layoutKind: {`"2006-01-02"`, `"2006-01-02T15:04:05Z07:00"`, `"Mon Jan 2 15:04:05 MST 2006"`, `"02/01/06 3:04PM"`, `"15:04:05.000"`,
		`"January _2, 2006"`, `"002 Monday"`, `"-0700"`, `""`, `"Jan"`, `"05,999"`},
	dateKind: {`"2024-02-29"`, `"2021-12-31T23:59:59Z"`, `"2021-12-31T23:59:59+05:30"`, `"31/12/99 1:02AM"`, `"x"`, `""`, `"2023-02-29"`,
		`"February  3, 1969"`, `"23:59:59.123"`},
	durationKind: {`"1h"`, `"95"`, `"1h30m"`, `"-5s"`, `"2400h"`, `"1.5h"`, `"100ms"`, `"x"`, `""`, `"0"`, `"25h"`, `"1us"`, `"9000h"`},
	zoneKind:     {`"UTC"`, `"Europe/Berlin"`, `"America/New_York"`, `"Nowhere/Land"`, `""`, `"Asia/Kolkata"`},
	goTypeKind:   {`"string"`, `"int"`, `"float64"`, `"map"`, `"slice"`, `"bool"`, `"map[string]interface {}"`, `"[]interface {}"`, `"invalid"`},
	jsonKind: {`"{\"a\":1,\"b\":[true,null]}"`, "`{\"a\":{\"b\":\"c\"}}`", `"[1,2]"`, `"{"`, `""`, `"\"s\""`, `"1e3"`, "`{\"a\":1,}`",
		"`{\"k\":1.5e300,\"u\":\"\\u00e9\\ud83d\"}`", "`[{\"a\":1},\"x\",null]`", "`{\"a\":1} x`", "`{'a':1}`", "`{\"a\":1,\"a\":2}`", `"null"`},
	yamlKind: {`"a: 1\nb:\n- x\n- y\n"`, `"- 1\n- two\n- [3]\n"`, `"a: b: c"`, `""`, `"x"`, `"a: &x {k: 1}\nb: *x\n"`, `"a: |\n  t\n  u\n"`,
		`"y: 1\nno: 2\n"`, `"a: 0777\nb: 0o17\nc: 1_000\nd: .inf\n"`, `"{a: 1, b: [x, 'y''z', \"w\\n\"]}"`, `"a:\n\t- 1"`, `"? k\n: v\n"`, `"a: 1\n---\nb: 2\n"`,
		`"a: >-\n  x\n  y\n\n  z\n"`, `"a: !!str 1\nb: !!int '2'\n"`, `"a: *nope"`, `"[1, 2"`, `"1: x\ntrue: y\n"`, `"a: 2020-01-01\nb: 12:30:45\n"`, `"<<: {a: 1}\nb: 2\n"`,
		`"a: 1\na: 2\n"`, `"null: 1"`, `"a: ~\nb: \n"`},
	tomlKind: {`"a = 1\nb = [1, 2]\n"`, `"[t]\nx = 1.5\ny = \"s\"\n"`, `"a = "`, `""`, `"[[x]]\na = 1\n[[x]]\na = 2\n"`, `"d = 2020-01-01T00:00:00Z"`, `"a.b = true\n"`,
		`"a = 1\na = 2"`, "`s = '''x'''`"},
}

// pieces of string operands.
var stringTexts = []string{
	"", "a", "foo", "Foo Bar", "foo-bar_baz", "héllo wörld", "x\ny\n", "  padded  ", "a,b,,c", "HTTPServer", "O'Neil", "<b>&\"q\"</b>",
	"1", "010", "3.7", "0x1f", "true", "null", "~", "yes", "a: b", "- x", "#c", "日本語", "😀", "tab\there", "a\\b", "%d%s", "{{ .Values.sa }}", "1e3",
	"one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen", "aGVsbG8=", "\u00a0", "a\u2028b", "x=y",
	"trailing ", "\x00", "\x7f", "Ǆ", "ß", "aaa", "line\r\nend", "12:30:45", "2020-01-01", "'", "`", "$1", "<no value>", "__a__b", "2.5", "-1",
}

var fieldTexts = []string{
	".Release.Name", ".Release.Namespace", ".Release.IsInstall", ".Release.Revision", ".Chart.Name", ".Chart.Version", ".Chart.AppVersion", ".Chart.Annotations.x",
	".Template.Name", ".Template.BasePath", ".Capabilities.KubeVersion.Version", ".Capabilities.KubeVersion", ".Capabilities.KubeVersion.Minor",
	".Capabilities.HelmVersion.Version", ".Chart.Nope", ".Release.Nope", ".Nope", ".Values.none", ".Values.none.x", ".Values.nul", ".Values.nul.x", ".Values.sa.x",
	".Values.da", ".Values.dd.in.deep", ".Values.dd.nope", ".Values.na.x", ".Values.la.x", ".Chart.Keywords", ".Chart.IsRoot",
	".Values", ".Chart", ".Release", ".Files", ".Files.nope", ".Template", ".Capabilities.HelmVersion", ".Chart.Annotations", ".Chart.Maintainers",
}

var callTexts = []string{
	`$.Capabilities.APIVersions.Has "apps/v1"`, `$.Capabilities.APIVersions.Has "x/v1"`, `$.Files.Get "f.txt"`, `$.Files.Lines "f.txt"`, `$.Files.Get "nope"`,
	`($.Files.Glob "*.txt").AsConfig`, `($.Files.Glob "*").AsSecrets`, `(semver "1.2.3-a.1+b").Prerelease`, `(semver "v1.2").Minor`, `(semver "1.2.3").IncMajor`,
	`(semver "1.2.3").LessThan (semver "2")`, `(semver "1.2.3").Nope`, `$.Capabilities.KubeVersion.GitVersion`, `$.Capabilities.APIVersions.Has 1`, `$.Capabilities.APIVersions.Has`,
	`(dict "a" (dict "b" 1)).a.b`, `(list 1 2).x`, `("x").y`, `(index .Values.ld 0).a`, `(first .Values.ld).a`, `.Values.sa 1`, `$.Values.da.a "x"`, `(printf "%s")`,
	`toYaml .Values`, `len .Values`, `keys .Values.da | sortAlpha`, `values .Values.da | sortAlpha`, `typeOf .Values`, `kindOf .`, `toJson .Values`, `print .Values`,
	`dig "in" "deep" "none" .Values.dd`, `dig "a" .Values.da`, `dig "x" "y" .Values.sa`, `dig "in" "x" "y" 1 .Values.dd`, `index .Values "da" "a"`, `index .Values.ld 0 "a"`,
	`index .Values.la`, `slice "str" 0 1`, `nil`, `1 | 2`, `nil | quote`, `.Values.sa | .Values.sb`, `toYaml .Chart`, `toJson .Release`, `toYaml .Capabilities.KubeVersion`,
	`(dict "k" $.Capabilities.KubeVersion).k`, `(dict "k" $.Capabilities.KubeVersion).k.GitVersion`, `$.Values.AsMap`, `typeOf $.Values.AsMap`,
	`dig "dd" "in" "none" $.Values.AsMap`, `dig "da" "a" "none" (merge $.Values (dict))`, `typeOf (set $.Values "zz" 1)`, `typeOf ($.Values.Table "da")`,
	`$.Values.PathValue "dd.in.deep"`, `fromJson "null"`, `fromJson "null" | toJson`, `set (fromJson "null") "a" 1`, `$.Files.nope | toJson`,
	`printf "%#v" $.Chart`, `printf "%+v" $.Chart`, `printf "%#v" $.Values`, `deepCopy (semver "1.2.3")`, `printf "%+v" $.Capabilities.HelmVersion`,
	`.Template | toYaml`, `set .Values.da "k" "v" | toJson`, `include "p9" .`, `include "p0"`, `tpl "{{ .x }}" (dict "x" 1)`, `tpl "{{ . " .`, `tpl .Values.sa .`,
}

// numberTexts are numbers of values, as JSON.
var numberTexts = []string{
	"0", "1", "2", "3", "-1", "10", "42", "80", "8080", "65536", "123456", "1000000", "1234567.5", "0.5", "2.5", "-2.5", "1e21", "1e-7", "0.00001",
	"9007199254740993", "9223372036854775807", "3.14159", "100000000000000000000", "1.0",
}

// paths are where the values of a case hold what kind.
var paths = map[rune][]string{
	stringKind: {".Values.sa", ".Values.sb", ".Values.sc", ".Values.da.s", ".Values.dd.in.deep"},
	numberKind: {".Values.na", ".Values.nb", ".Values.da.n"},
	intKind:    {".Values.na", ".Values.nb"},
	boolKind:   {".Values.ba", ".Values.bb"},
	listKind:   {".Values.la", ".Values.ls", ".Values.ln", ".Values.ld", ".Values.da.l", ".Values.le"},
	dictKind:   {".Values.da", ".Values.db", ".Values.dd", ".Values.de", ".Values.dd.in"},
	anyKind:    {".Values.sa", ".Values.na", ".Values.ba", ".Values.la", ".Values.da", ".Values.nul", ".Values.none", ".Values.dd", ".Values.ls", ".Values.ld"},
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// goString writes a string as a template literal, quoted or raw.
func goString(r *rand.Rand, text string) string {
	if r.IntN(4) == 0 && !strings.ContainsAny(text, "`\r\x00") {
		return "`" + text + "`"
	}
	return fmt.Sprintf("%q", text)
}

// randomValues makes the values of a case: always the same keys, so that paths mostly lead somewhere.
func randomValues(r *rand.Rand) map[string]any {
	words := func() any { return pick(r, stringTexts) }
	dict := func() map[string]any {
		made := map[string]any{}
		for _, key := range []string{"a", "b", "s", "n", "k10", "k2", "a b", "é"} {
			if r.IntN(2) == 0 {
				made[key] = scalarValue(r)
			}
		}
		return made
	}
	values := map[string]any{
		"sa": words(), "sb": words(), "sc": words(), "na": numberValue(r), "nb": numberValue(r), "ba": true, "bb": r.IntN(2) == 0,
		"la": someOf(r, scalarValue), "ls": someOf(r, func(*rand.Rand) any { return words() }), "ln": someOf(r, numberValue),
		"ld": someOf(r, func(*rand.Rand) any { return dict() }), "le": []any{}, "da": dict(), "db": dict(), "de": map[string]any{},
		"dd": map[string]any{"in": map[string]any{"deep": words(), "l": someOf(r, scalarValue)}, "x": dict()}, "nul": nil,
	}
	return values
}

func someOf(r *rand.Rand, one func(*rand.Rand) any) []any {
	made := make([]any, 1+r.IntN(4))
	for i := range made {
		made[i] = one(r)
	}
	return made
}

// rawNumber is a number of values in the words of its source.
type rawNumber string

func (n rawNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }

func numberValue(r *rand.Rand) any { return rawNumber(pick(r, numberTexts)) }

func scalarValue(r *rand.Rand) any {
	switch r.IntN(6) {
	case 0:
		return numberValue(r)
	case 1:
		return r.IntN(2) == 0
	case 2:
		return nil
	}
	return pick(r, stringTexts)
}
