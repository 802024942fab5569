// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

const (
	fuzzBatch     = 128
	fuzzProgress  = 10 * time.Second
	stableRenders = 5
)

// fuzzer compares random cases with our answers to them.
type fuzzer struct {
	seed, from, count uint64
	ours              string
	found             string
	differencesMax    int
	show              bool

	child       *responder
	file        caseFile
	done        uint64 // the first case that was not compared
	errors      int
	refused     int
	documented  int
	unstable    int
	differences int
}

// fuzzCommand runs the differential fuzzer: exit 1 if a case differs.
func fuzzCommand(args []string, out io.Writer) error {
	f := fuzzer{}
	flags := pflag.NewFlagSet("fuzz", pflag.ContinueOnError)
	flags.Uint64Var(&f.seed, "seed", 1, "which sequence of cases")
	flags.Uint64Var(&f.from, "from", 0, "the first case, to resume a run")
	flags.Uint64Var(&f.count, "count", 1000, "how many cases")
	flags.StringVar(&f.ours, "ours", "", "the program that answers cases (build target: differential)")
	flags.StringVar(&f.found, "found", "", "a case file to write the differences to; default: standard output only")
	flags.IntVar(&f.differencesMax, "differences", 20, "end the run after so many differences")
	flags.BoolVar(&f.show, "show", false, "print the case --from with Helm's answer, and do no more")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return nil
		}
		return err
	}
	log.SetOutput(io.Discard) // Helm's warnings about values.
	if f.show {
		c := fuzzCase(f.seed, f.from)
		helmAnswer(c).addTo(c)
		f.print(c, out)
		return nil
	}
	if f.ours == "" {
		return fmt.Errorf("fuzz: --ours is missing: the path of the built target differential")
	}
	return f.run(out)
}

func (f *fuzzer) run(out io.Writer) error {
	f.file.Head = []string{"# engine: helm", "# helm: " + helmVersion()}
	f.child = &responder{path: f.ours}
	defer f.child.stop()
	started := time.Now()
	reported := started
	next, end := f.from, f.from+f.count
	batch := func() []*testCase {
		made := make([]*testCase, 0, fuzzBatch)
		for ; next < end && len(made) < fuzzBatch; next++ {
			made = append(made, fuzzCase(f.seed, next))
		}
		return made
	}
	for pending := f.answer(batch()); ; {
		ready := <-pending
		if ready.err != nil {
			return ready.err
		}
		if len(ready.cases) == 0 || f.differences >= f.differencesMax {
			break
		}
		done := next
		pending = f.answer(batch())
		differing := f.compare(ready)
		if len(differing) > 0 {
			following := <-pending // Our side has one conversation at a time.
			pending = resolved(following)
			for _, c := range differing {
				if err := f.report(c, out); err != nil {
					return err
				}
			}
		}
		f.done = done
		if time.Since(reported) >= fuzzProgress {
			reported = time.Now()
			fmt.Fprintln(os.Stderr, f.summary(started))
		}
	}
	fmt.Fprintln(out, f.summary(started))
	if f.differences > 0 {
		return fmt.Errorf("fuzz: %d differences", f.differences)
	}
	return nil
}

func (f *fuzzer) summary(started time.Time) string {
	return fmt.Sprintf("seed %d: cases %d to before %d against Helm %s in %.0f s (%d of them errors, %d past the budget): "+
		"%d differences, %d documented deviations, %d without a stable answer", f.seed, f.from, f.done, helmVersion(), time.Since(started).Seconds(),
		f.errors, f.refused, f.differences, f.documented, f.unstable)
}

func resolved(batch answeredBatch) <-chan answeredBatch {
	made := make(chan answeredBatch, 1)
	made <- batch
	return made
}

// answeredBatch is a batch with our answers to it.
type answeredBatch struct {
	cases   []*testCase
	answers []caseAnswer
	err     error
}

// answer asks our side in the background, so that Helm can answer the batch before meanwhile.
func (f *fuzzer) answer(batch []*testCase) <-chan answeredBatch {
	answered := make(chan answeredBatch, 1)
	go func() {
		answers, err := f.child.answers(batch)
		answered <- answeredBatch{batch, answers, err}
	}()
	return answered
}

// compare has Helm answer the cases. It is not asked where our budget ends a render: it has none, and could run on
// for ever.
func (f *fuzzer) compare(batch answeredBatch) (differing []*testCase) {
	for i, c := range batch.cases {
		got := batch.answers[i]
		if got.kind == refused {
			f.refused++
			continue
		}
		want := helmAnswer(c)
		if want.kind == failed {
			f.errors++
		}
		if got == want {
			continue
		}
		switch {
		case isDocumented(got):
			f.documented++
		case isStable(c, want, got):
			differing = append(differing, c)
		default:
			f.unstable++
		}
	}
	return differing
}

// opaque is how we print a time with a zone under a verb for numbers, under which Go prints its private fields, an
// address among them: the one deviation of docs/reference/compatibility.md that random templates meet. Times in UTC have no
// address in them, and braces here.
var opaque = regexp.MustCompile(`%!.\(time\.Time=[^{]`)

// isDocumented reports whether a difference may come from a documented deviation.
func isDocumented(ours caseAnswer) bool { return opaque.MatchString(ours.text) }

// isStable reports whether Helm answers a case the same way each time, and never as we do: the order of Go's maps
// and its addresses show in some answers.
func isStable(c *testCase, want, got caseAnswer) bool {
	for i := 0; i < stableRenders; i++ {
		if again := helmAnswer(c); again != want || again == got {
			return false
		}
	}
	return true
}

// report makes a differing case small, prints it and adds it to the file of differences.
func (f *fuzzer) report(c *testCase, out io.Writer) error {
	f.differences++
	small := reduce(c, f.child)
	got, err := f.child.answers([]*testCase{small})
	if err != nil {
		return err
	}
	helmAnswer(small).addTo(small)
	f.print(small, out)
	fmt.Fprintf(out, "ours: %s\n\n", got[0])
	f.file.Cases = append(f.file.Cases, *small)
	if f.found == "" {
		return nil
	}
	return f.file.write(f.found, generatorName(engines["helm"].modules))
}

func (f *fuzzer) print(c *testCase, out io.Writer) {
	var text strings.Builder
	writeCase(&text, c)
	fmt.Fprint(out, text.String())
}

// helmVersion is the version as the heads of case files name it.
func helmVersion() string {
	parts := strings.SplitN(strings.TrimPrefix(moduleVersion(helmModule), "v"), ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// answerKind says how a render ends.
type answerKind int

const (
	rendered answerKind = iota
	failed
	refused // by the budget of our side; Helm has none
)

// caseAnswer is what a render comes to: a text or an error.
type caseAnswer struct {
	text string
	kind answerKind
}

func (a caseAnswer) String() string {
	return [...]string{"want ", "error ", "refused "}[a.kind] + jsonString(a.text)
}

func (a caseAnswer) addTo(c *testCase) {
	c.add([...]string{"want", "error", "error"}[a.kind], a.text)
}

func helmAnswer(c *testCase) caseAnswer {
	options, err := caseOptions(c)
	if err != nil {
		return caseAnswer{err.Error(), failed}
	}
	text, err := renderOneFile(c, options)
	if err != nil {
		return caseAnswer{err.Error(), failed}
	}
	return caseAnswer{text, rendered}
}
