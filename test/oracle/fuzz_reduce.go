// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

const reduceTriesMax = 4000

// templateToken cuts a template into what the reducer drops: white space, literals, words, delimiters, single characters.
var templateToken = regexp.MustCompile("\\s+|\"(?:[^\"\\\\\\n]|\\\\.)*\"|`[^`]*`|[$.]?\\w+(?:\\.\\w+)*|\\{\\{-?|-?\\}\\}|:=|(?s:.)")

// reducer makes a case smaller while it goes on to differ in the same way: one side fails or none or both.
type reducer struct {
	child *responder
	ours  answerKind // of the whole case
	helm  answerKind
	tries int
}

// reduce returns a small case that differs as c does; c itself if it does no longer.
func reduce(c *testCase, child *responder) *testCase {
	r := &reducer{child: child, helm: helmAnswer(c).kind}
	got, err := child.answers([]*testCase{c})
	if err != nil {
		return c
	}
	r.ours = got[0].kind
	small := &testCase{Title: c.Title, Sections: slices.Clone(c.Sections)}
	for size := 0; size != caseSize(small) && r.tries < reduceTriesMax; {
		size = caseSize(small)
		r.dropSections(small)
		for i := range small.Sections {
			r.shrinkSection(small, i)
		}
	}
	return small
}

func caseSize(c *testCase) int {
	size := 0
	for _, s := range c.Sections {
		size += len(s.Text) + 1
	}
	return size
}

// differs reports whether a case still does what is to be shown.
func (r *reducer) differs(c *testCase) bool {
	if r.tries++; r.tries > reduceTriesMax {
		return false
	}
	got, err := r.child.answers([]*testCase{c})
	if err != nil || got[0].kind != r.ours {
		return false
	}
	want := helmAnswer(c)
	if want == got[0] || want.kind != r.helm {
		return false
	}
	return isStable(c, want, got[0])
}

func (r *reducer) dropSections(c *testCase) {
	for i := len(c.Sections) - 1; i > 0; i-- {
		without := &testCase{Title: c.Title, Sections: slices.Delete(slices.Clone(c.Sections), i, i+1)}
		if r.differs(without) {
			c.Sections = without.Sections
		}
	}
}

func (r *reducer) shrinkSection(c *testCase, i int) {
	try := func(text string) bool {
		changed := &testCase{Title: c.Title, Sections: slices.Clone(c.Sections)}
		changed.Sections[i].Text = text
		return r.differs(changed)
	}
	text := c.Sections[i].Text
	if name := c.Sections[i].Name; name == "values" || name == "data" {
		c.Sections[i].Text = shrinkValues(text, try)
		return
	}
	tokens := shrinkList(templateToken.FindAllString(text, -1), func(kept []string) bool { return try(strings.Join(kept, "")) })
	c.Sections[i].Text = strings.Join(tokens, "")
}

// shrinkList drops runs of elements, long ones first, while the rest passes.
func shrinkList[T any](all []T, passes func([]T) bool) []T {
	for size := max(1, len(all)/2); ; size /= 2 {
		for at := 0; at+size <= len(all); {
			if rest := slices.Delete(slices.Clone(all), at, at+size); passes(rest) {
				all = rest
			} else {
				at += size
			}
		}
		if size <= 1 {
			return all
		}
	}
}

// shrinkValues drops keys of values in JSON, then keys of the dicts in them.
func shrinkValues(text string, try func(string) bool) string {
	var values map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &values) != nil {
		return text
	}
	for _, key := range sortedKeys(values) {
		kept := values[key]
		delete(values, key)
		if try(jsonText(values)) {
			continue
		}
		values[key] = kept
		values[key] = json.RawMessage(shrinkValues(string(kept), func(inner string) bool {
			values[key] = json.RawMessage(inner)
			return try(jsonText(values))
		}))
	}
	return jsonText(values)
}

func sortedKeys[T any](values map[string]T) []string {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
