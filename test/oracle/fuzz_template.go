// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

const (
	expressionDepthMax = 3
	blockDepthMax      = 3
	partialsFile       = "templates/_p.tpl"
)

// variable is one that a template has declared and still sees.
type variable struct {
	name string
	kind rune
}

// templateWriter writes random templates: mostly right, sometimes wrong, never endless.
type templateWriter struct {
	r        *rand.Rand
	out      strings.Builder
	scope    []variable
	declared int
	ranges   int // how many loops the next statement is in
	moved    bool
	partials []string // those that may be included here; a partial sees later ones only, so that nothing recurs
}

// fuzzCase makes case number n of a seed: the same on every machine and in every run.
func fuzzCase(seed, n uint64) *testCase {
	r := rand.New(rand.NewPCG(seed, n))
	c := &testCase{Title: fmt.Sprintf("seed %d case %d", seed, n)}
	partials, file := randomPartials(r)
	w := templateWriter{r: r, partials: partials}
	w.statements(1+r.IntN(5), 0)
	c.add("template", mutated(r, w.out.String()))
	if file != "" {
		c.Sections = append(c.Sections, section{"file", partialsFile, file})
	}
	c.Sections = append(c.Sections, section{"file", "f.txt", pick(r, stringTexts)})
	name := "values"
	if r.IntN(3) == 0 {
		name = "data"
	}
	c.add(name, jsonText(randomValues(r)))
	return c
}

// jsonText is JSON that is YAML, too.
func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return strings.ReplaceAll(string(text), "\x7f", `\u007f`)
}

func randomPartials(r *rand.Rand) (names []string, file string) {
	var out strings.Builder
	for i := r.IntN(4); i > 0; i-- {
		name := fmt.Sprintf("p%d", i-1)
		w := templateWriter{r: r, partials: names}
		w.statements(1+r.IntN(3), 1)
		fmt.Fprintf(&out, "{{- define %q -}}%s{{ end }}\n", name, w.out.String())
		names = append(names, name)
	}
	return names, out.String()
}

// mutated spoils the syntax of one template in sixteen. One with dates stays: a date that lost its operand would be
// the current one.
func mutated(r *rand.Rand, text string) string {
	if r.IntN(16) != 0 || text == "" || strings.Contains(strings.ToLower(text), "date") {
		return text
	}
	for n := 1 + r.IntN(2); n > 0 && text != ""; n-- {
		at := r.IntN(len(text))
		end := min(len(text), at+1+r.IntN(3))
		switch r.IntN(3) {
		case 0:
			text = text[:at] + text[end:]
		case 1:
			text = text[:at] + pick(r, []string{"{{", "}}", "(", ")", "|", ".", "$", `"`, "'", "`", ":=", "=", ",", " ", "\n", "-", "/*", "*/",
				"{{ end }}", "{{ else }}", "{{- ", " -}}", "@", "\\", "é", "1", "{{ break }}", "{{/* c */}}", "{{ else if 1 }}"}) + text[at:]
		default:
			text = text[:end] + text[at:]
		}
	}
	return strings.ToValidUTF8(text, "")
}

func (w *templateWriter) chance(percent int) bool { return w.r.IntN(100) < percent }

func (w *templateWriter) action(parts ...string) {
	left := []string{"{{ ", "{{", "{{- ", "{{ "}
	right := []string{" }}", "}}", " -}}", " }}"}
	w.out.WriteString(pick(w.r, left) + strings.Join(parts, " ") + pick(w.r, right))
}

func (w *templateWriter) statements(count, depth int) {
	seen := len(w.scope)
	for ; count > 0; count-- {
		w.statement(depth)
		if w.chance(40) {
			w.out.WriteString(pick(w.r, []string{"\n", " ", "text ", "\n  ", "x\n\n", "é}", "a: "}))
		}
	}
	w.scope = w.scope[:seen]
}

func (w *templateWriter) statement(depth int) {
	if depth < blockDepthMax && w.chance(35) {
		w.block(depth)
		return
	}
	switch w.r.IntN(12) {
	case 0, 1:
		kind := pick(w.r, []rune("sainbld"))
		text := w.pipeline(kind, 0)
		w.action(w.declare(kind), ":=", text)
	case 2:
		if len(w.scope) > 0 {
			w.action(pick(w.r, w.scope).name, "=", w.pipeline(anyKind, 0))
		}
	case 3:
		w.out.WriteString(pick(w.r, []string{"{{/* c */}}", "{{- /* a\nb */ -}}", "{{/**/}}", "plain", "}}", "{ { "}))
	case 4:
		if w.ranges > 0 {
			w.action("if", w.pipeline(boolKind, 1))
			w.action(pick(w.r, []string{"break", "continue"}))
			w.action("end")
		}
	case 5:
		w.template()
	default:
		w.action(w.pipeline(pick(w.r, []rune("ssssanibldt")), 0))
	}
}

// declare names a new variable, which the statements after its declaration may use.
func (w *templateWriter) declare(kind rune) string {
	w.declared++
	name := "$v" + strconv.Itoa(w.declared)
	w.scope = append(w.scope, variable{name, kind})
	return name
}

func (w *templateWriter) template() {
	if len(w.partials) == 0 {
		return
	}
	name, dot := strconv.Quote(pick(w.r, w.partials)), pick(w.r, []string{w.dot(), w.dot(), "", "(dict \"Values\" $.Values)"})
	if dot != "" && w.chance(70) {
		w.action("include", name, dot)
	} else {
		w.action("template", name, dot)
	}
}

func (w *templateWriter) block(depth int) {
	seen := len(w.scope)
	switch w.r.IntN(8) {
	case 0, 1, 2:
		w.action("if", w.header())
		w.statements(1+w.r.IntN(2), depth+1)
		if w.chance(25) {
			w.action("else if", w.header())
			w.statements(1, depth+1)
		}
		w.otherwise(depth)
	case 3, 4:
		w.with(depth)
	case 5, 6:
		w.loop(depth)
	default:
		if w.chance(30) {
			w.action("block", strconv.Quote("b"+strconv.Itoa(w.r.IntN(3))), pick(w.r, []string{".", "$", ".Values.da"}))
			inner := w.scope
			w.scope = nil
			w.statements(1, depth+1)
			w.scope = inner
			break
		}
		w.action("if", w.pipeline(boolKind, 1))
		w.statements(1, depth+1)
	}
	w.action("end")
	w.scope = w.scope[:seen]
}

// header is the pipeline of an if or with, perhaps with a declaration.
func (w *templateWriter) header() string {
	kind := pick(w.r, []rune("bbbasldn"))
	text := w.pipeline(kind, 1)
	if w.chance(15) {
		return w.declare(kind) + " := " + text
	}
	return text
}

func (w *templateWriter) otherwise(depth int) {
	if w.chance(40) {
		w.action("else")
		w.statements(1, depth+1)
	}
}

func (w *templateWriter) with(depth int) {
	moved := w.moved
	w.action("with", w.header())
	w.moved = true
	w.statements(1+w.r.IntN(2), depth+1)
	w.moved = moved
	if w.chance(25) {
		w.action("else with", w.header())
		w.moved = true
		w.statements(1, depth+1)
		w.moved = moved
	}
	w.otherwise(depth)
}

func (w *templateWriter) loop(depth int) {
	kind := pick(w.r, []rune("llllddcca"))
	over := w.pipeline(kind, 1)
	form := w.r.IntN(4)
	if kind == countKind && !w.chance(5) {
		form %= 2 // Integers have no second variable.
	}
	switch form {
	case 0:
		w.action("range", over)
	case 1:
		w.action("range", w.declare(anyKind), ":=", over)
	default:
		first := w.declare(pick(w.r, []rune("iks")))
		w.action("range", first+", "+w.declare(anyKind), ":=", over)
	}
	moved := w.moved
	w.moved = true
	w.ranges++
	w.statements(1+w.r.IntN(2), depth+1)
	w.ranges--
	w.moved = moved
	w.otherwise(depth)
}

// pipeline gives an expression that may stand alone in an action or in parentheses.
func (w *templateWriter) pipeline(kind rune, depth int) string {
	text := w.command(kind, depth)
	for w.chance(18) && depth < expressionDepthMax {
		ends := byLast[kind]
		if len(ends) == 0 {
			break
		}
		end := pick(w.r, ends)
		operands := w.operands(end, depth+1)
		if len(operands) == 0 {
			break
		}
		text += " | " + strings.Join(append([]string{end.name}, operands[:len(operands)-1]...), " ")
		kind = end.result
	}
	return text
}

func (w *templateWriter) command(kind rune, depth int) string {
	switch {
	case kind == anyKind && w.chance(8):
		return pick(w.r, callTexts)
	case kind == stringKind && w.chance(8):
		return w.printf(depth)
	case kind == stringKind && w.chance(3) && depth < 2:
		return w.tpl(depth)
	case kind == stringKind && len(w.partials) > 0 && w.chance(5):
		return "include " + strconv.Quote(pick(w.r, w.partials)) + " " + w.dot()
	case len(byResult[kind]) == 0 || w.chance(15):
		if text := w.operand(kind, depth); text != "nil" { // No command, as the language has it.
			return text
		}
		return w.root() + ".Values.nul"
	}
	called := pick(w.r, byResult[kind])
	operands := w.operands(called, depth+1)
	if n := len(operands); n > 0 && w.chance(35) {
		return operands[n-1] + " | " + strings.Join(append([]string{called.name}, operands[:n-1]...), " ")
	}
	return strings.Join(append([]string{called.name}, operands...), " ")
}

// operands gives what a call needs; one in fifty calls gets one less or one more.
func (w *templateWriter) operands(called signature, depth int) []string {
	if called.name == "tpl" {
		return []string{goString(w.r, "{{ "+w.pipeline(stringKind, depth)+" }}"), pick(w.r, []string{".", "$", ".Values"})}
	}
	var made []string
	for i, kind := range called.params {
		count := 1
		if called.repeat && i == len(called.params)-1 {
			count = w.r.IntN(4)
		}
		for ; count > 0; count-- {
			made = append(made, w.operand(kind, depth))
		}
	}
	if w.chance(1) && !strings.ContainsRune(string(called.params), timeKind) {
		if len(made) > 0 && w.chance(50) {
			return made[1:]
		}
		return append(made, w.operand(scalarKind, depth))
	}
	return made
}

// operand gives an expression that can stand as an argument.
func (w *templateWriter) operand(kind rune, depth int) string {
	switch kind {
	case timeKind:
		return w.time(depth)
	case scalarKind:
		return w.literal(pick(w.r, []rune("sinb")), depth)
	case freshKind:
		if w.chance(30) {
			return "(deepCopy " + w.root() + pick(w.r, paths[dictKind]) + ")"
		}
		return w.dict(expressionDepthMax)
	case freshList:
		return w.list(depth)
	case countKind:
		if w.chance(4) {
			return pick(w.r, []string{`"x"`, "nil", w.root() + ".Values.none", "true", "1.5", `"2"`, "(int64 2)", "(len \"ab\")"})
		}
		return pick(w.r, literals[countKind])
	}
	if kind == strictIntKind {
		return w.strictInt(depth)
	}
	if w.r.IntN(60) == 0 {
		kind = pick(w.r, []rune(operandKinds))
	}
	switch n := w.r.IntN(100); {
	case n < 20 && len(paths[kind]) > 0:
		return w.root() + pick(w.r, paths[kind])
	case n < 35:
		if name := w.variable(kind); name != "" {
			return name
		}
	case n < 55 && depth < expressionDepthMax:
		return "(" + w.pipeline(kind, depth+1) + ")"
	case n < 57 && kind == anyKind:
		return pick(w.r, w.wholes())
	case n < 62 && kind == anyKind:
		return w.root() + pick(w.r, fieldTexts)
	}
	return w.literal(kind, depth)
}

// wholes are operands that are not expressions. The root is not one: it holds a pointer, whose address some functions
// turn into what looks like an answer (its length, its first letters).
func (w *templateWriter) wholes() []string {
	if w.moved {
		return []string{".", ".", "nil", "$.Values.nul"}
	}
	return []string{".Values", "$.Values", "nil", "$.Values.nul"}
}

// strictInt gives what a parameter of type int takes, and sometimes an int64 or float64, which it does not.
func (w *templateWriter) strictInt(depth int) string {
	switch n := w.r.IntN(100); {
	case n < 4:
		return w.operand(intKind, depth)
	case n < 20 && depth < expressionDepthMax:
		return "(int " + w.operand(numberKind, depth+1) + ")"
	}
	return pick(w.r, literals[intKind])
}

// dot is what a partial gets, which looks for .Values in it.
func (w *templateWriter) dot() string {
	if w.moved && !w.chance(20) {
		return "$"
	}
	return pick(w.r, []string{".", "$"})
}

// root is what stands before .Values: mostly what finds them.
func (w *templateWriter) root() string {
	if w.moved && !w.chance(4) || w.chance(10) {
		return "$"
	}
	return ""
}

func (w *templateWriter) variable(kind rune) string {
	for tries := 0; tries < 4 && len(w.scope) > 0; tries++ {
		if v := pick(w.r, w.scope); v.kind == kind || kind == anyKind {
			return v.name
		}
	}
	return ""
}

func (w *templateWriter) literal(kind rune, depth int) string {
	switch kind {
	case stringKind:
		return goString(w.r, pick(w.r, stringTexts))
	case listKind:
		return w.list(depth)
	case dictKind:
		return w.dict(depth)
	case anyKind:
		return w.literal(pick(w.r, []rune("sssnniibldk")), depth)
	}
	return pick(w.r, literals[kind])
}

func (w *templateWriter) list(depth int) string {
	made := []string{"list"}
	for n := w.r.IntN(4); n > 0; n-- {
		made = append(made, w.element(depth))
	}
	return "(" + strings.Join(made, " ") + ")"
}

func (w *templateWriter) dict(depth int) string {
	made := []string{"dict"}
	for n := w.r.IntN(4); n > 0; n-- {
		made = append(made, pick(w.r, literals[keyKind]), w.element(depth))
	}
	return "(" + strings.Join(made, " ") + ")"
}

func (w *templateWriter) element(depth int) string {
	if depth >= expressionDepthMax {
		return w.operand(scalarKind, depth)
	}
	return w.operand(anyKind, depth+1)
}

func (w *templateWriter) time(depth int) string {
	if w.chance(10) {
		return strconv.Itoa(w.r.IntN(2_000_000_000))
	}
	if w.chance(20) && depth < expressionDepthMax {
		return "(dateModify " + pick(w.r, literals[durationKind]) + " " + w.time(depth+1) + ")"
	}
	return "(toDate " + pick(w.r, literals[layoutKind]) + " " + pick(w.r, literals[dateKind]) + ")"
}

func (w *templateWriter) tpl(depth int) string {
	inner := templateWriter{r: w.r, partials: w.partials}
	inner.statements(1+w.r.IntN(2), blockDepthMax-1)
	return "tpl " + goString(w.r, inner.out.String()) + " " + pick(w.r, []string{".", "$", "$", w.dict(depth)})
}

// printf writes a call with verbs, flags and operands that often do not go together.
func (w *templateWriter) printf(depth int) string {
	var format strings.Builder
	made := []string{}
	for n := 1 + w.r.IntN(3); n > 0; n-- {
		format.WriteString(pick(w.r, []string{"", "a", " ", "-", "é"}) + "%" + pick(w.r, []string{"", "", "", "+", "-", "#", "0", " ", "+0", "[2]", "[1]", "[x]", "[9]", "#0"}) +
			pick(w.r, []string{"", "", "", "5", "12", "*", ".2", "8.3", ".", ".*", "03"}) + pick(w.r, strings.Split("v v v s s d d q x X t T b c o O U e E f F g G % z !", " ")))
		made = append(made, w.operand(pick(w.r, []rune("aasnnibldk")), depth+1))
	}
	switch w.r.IntN(8) {
	case 0:
		made = made[:len(made)-1]
	case 1:
		made = append(made, w.operand(anyKind, depth+1))
	}
	return strings.Join(append([]string{"printf", strconv.Quote(format.String())}, made...), " ")
}
