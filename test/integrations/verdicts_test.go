// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
)

// verdict is how three judges see one state: the health check of Argo CD, the expressions of Flux, and kstatus, which Flux
// follows without them.
type verdict struct {
	argo    string
	flux    status.Status
	kstatus status.Status
	// why they differ, where they do.
	why string
}

const (
	unseen     = "kstatus takes what has no status for ready; an expression that needs it cannot be evaluated, so Flux waits"
	mayStay    = "kstatus knows only Stalled for a failure; here a child has failed, and may stay so"
	pausedThen = "Argo CD has a word for a pause; the others see the rest of the status, which is as it was before"
	ofArgo     = "in kstatus the end of an object is a status of its own"
)

var (
	isReady      = verdict{"Healthy", status.CurrentStatus, status.CurrentStatus, ""}
	isInProgress = verdict{"Progressing", status.InProgressStatus, status.InProgressStatus, ""}
	isFailed     = verdict{"Degraded", status.FailedStatus, status.FailedStatus, ""}
	isDeleting   = verdict{"Progressing", status.InProgressStatus, status.TerminatingStatus, ofArgo}
)

// verdicts are those on the recorded states.
var verdicts = map[string]verdict{
	"unseen":                 {"Progressing", status.UnknownStatus, status.CurrentStatus, unseen},
	"ready":                  isReady,
	"upgraded":               isReady,
	"unknown-keys":           isReady,
	"rolled-back":            isReady,
	"rollback-refused":       isReady,
	"changed-since":          isInProgress,
	"hook-runs":              isInProgress,
	"child-in-progress":      isInProgress,
	"retried":                isInProgress,
	"child-failed":           {"Degraded", status.FailedStatus, status.InProgressStatus, mayStay},
	"stalled":                isFailed,
	"stalled-upgrade":        isFailed,
	"rolled-back-by-failure": isFailed,
	"stalled-beside-a-ready": isFailed,
	"paused":                 {"Suspended", status.CurrentStatus, status.CurrentStatus, pausedThen},
	"paused-with-a-change":   {"Suspended", status.InProgressStatus, status.InProgressStatus, pausedThen},
	"paused-before-a-look":   {"Suspended", status.InProgressStatus, status.InProgressStatus, pausedThen},
	"deleted-in-a-pause":     isDeleting,
	"deleted":                isDeleting,
}

// agree reports whether the judges see the same.
func (v verdict) agree() bool {
	same := map[string]status.Status{
		"Healthy": status.CurrentStatus, "Progressing": status.InProgressStatus, "Degraded": status.FailedStatus,
	}
	return v.flux == same[v.argo] && v.kstatus == v.flux
}

// judge asks all three.
func judge(t *testing.T, obj object) verdict {
	t.Helper()
	found, err := health(string(shipped(t, "argocd/health.lua")), obj)
	if err != nil {
		t.Fatal(err)
	}
	return verdict{found.Status, fluxStatus(t, obj), kstatusOf(t, obj), ""}
}

// check compares what the judges say with what is expected.
func check(t *testing.T, name string, obj object, want verdict) {
	t.Helper()
	found := judge(t, obj)
	if found.argo != want.argo || found.flux != want.flux || found.kstatus != want.kstatus {
		t.Errorf("%s: Argo CD %s, Flux %s, kstatus %s; not %s, %s, %s", name, found.argo, found.flux, found.kstatus,
			want.argo, want.flux, want.kstatus)
	}
}

func TestThreeJudgesSeeTheSameInEachRecordedStateButForAReason(t *testing.T) {
	all := recordings(t)
	for name, want := range verdicts {
		recorded, ok := all[name]
		if !ok {
			t.Errorf("%s is not recorded", name)
			continue
		}
		check(t, name, recorded.object(t), want)
		if want.agree() == (want.why != "") {
			t.Errorf("%s: the judges agree: %v, and the reason is %q", name, want.agree(), want.why)
		}
	}
	for _, name := range states(all) {
		if _, ok := verdicts[name]; !ok {
			t.Errorf("%s has no verdict", name)
		}
	}
}

// documented returns the types of conditions with their reasons, in the order of the reference.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/reference/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "<!-- conditions -->")
	table, _, _ = strings.Cut(table, "<!-- end -->")
	found := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| [^|]* \\| ([^|]*) \\|").FindAllStringSubmatch(table, -1) {
		found[row[1]] = strings.Split(strings.Trim(row[2], "`"), "`, `")
	}
	if len(found) < 20 || len(found["Ready"]) < 8 {
		t.Fatalf("the table of conditions was not read: %v", found)
	}
	return found
}

func TestOnlyFourConditionsDecide(t *testing.T) {
	deciding := []string{"Ready", "Reconciling", "Stalled", "Paused"}
	for _, state := range []string{"ready", "child-in-progress", "stalled"} {
		obj := recordings(t)[state].object(t)
		for name, reasons := range documented(t) {
			if slices.Contains(deciding, name) {
				continue
			}
			for _, value := range []string{"True", "False", "Unknown"} {
				for _, reason := range reasons {
					changed := withConditions(withoutConditions(obj, name), condition(name, value, reason))
					check(t, fmt.Sprintf("%s with %s=%s (%s)", state, name, value, reason), changed, verdicts[state])
				}
			}
		}
	}
}

func TestEachReasonOfReadyIsSeenByTheStatusOfTheCondition(t *testing.T) {
	bare := withoutConditions(recordings(t)["ready"].object(t), "Ready")
	reconciling := condition("Reconciling", "True", "Progressing")
	stalled := condition("Stalled", "True", "UpgradeError")
	for _, reason := range documented(t)["Ready"] {
		yes, no := condition("Ready", "True", reason), condition("Ready", "False", reason)
		check(t, reason, withConditions(bare, yes), isReady)
		check(t, reason, withConditions(bare, no), verdicts["child-failed"])
		check(t, reason, withConditions(bare, condition("Ready", "Unknown", reason)), isInProgress)
		check(t, reason, withConditions(bare, no, reconciling), isInProgress)
		check(t, reason, withConditions(bare, reconciling, no), isInProgress)
		check(t, reason, withConditions(bare, no, stalled), isFailed)
		check(t, reason, withConditions(bare, stalled, yes), isFailed)
	}
}

// hostileStatuses are shapes that only somebody else writes into a status; none of them is ready.
var hostileStatuses = []string{
	`null`, `"x"`, `7`, `true`, `[]`, `[1]`, `{}`,
	`{"conditions":null}`, `{"conditions":"x"}`, `{"conditions":7}`, `{"conditions":{}}`, `{"conditions":{"a":1}}`,
	`{"conditions":[]}`, `{"conditions":[null]}`, `{"conditions":[1,"x",[],{}]}`, `{"conditions":[[{"type":"Ready","status":"True"}]]}`,
	`{"conditions":[{"type":null,"status":"True"}]}`, `{"conditions":[{"type":{"a":1},"status":"True"}]}`,
	`{"conditions":[{"type":"Ready"}]}`, `{"conditions":[{"type":"Ready","status":true}]}`,
	`{"conditions":[{"type":"Ready","status":["True"]}]}`, `{"conditions":[{"type":"Ready","status":"true"}]}`,
	`{"conditions":[{"type":"ready","status":"True"}]}`, `{"conditions":[{"type":"Ready","status":"False","message":7}]}`,
	`{"conditions":[{"type":"Stalled","status":"True","message":{"a":[]}}]}`, `{"conditions":{"type":"Ready","status":"True"}}`,
	`{"observedGeneration":9,"conditions":[{"type":"Ready","status":"True"}]}`,
	`{"history":"x"}`, `{"history":[1,null,{"revision":{}}]}`, `{"history":{"revision":1},"conditions":[{"type":"Paused","status":7}]}`,
}

func TestNoHostileStatusIsReadyOrBreaksAJudge(t *testing.T) {
	script := string(shipped(t, "argocd/health.lua"))
	for _, text := range hostileStatuses {
		obj := shop(t, text)
		found, err := health(script, obj)
		if err != nil || found.Status == "Healthy" {
			t.Errorf("Argo CD: %s: %v, %v", text, found, err)
		}
		if found := fluxStatus(t, obj); found == status.CurrentStatus {
			t.Errorf("Flux: %s: %v", text, found)
		}
	}
}

func TestManyConditionsAndLongMessagesAreRead(t *testing.T) {
	long := condition("Ready", "True", "Ready")
	long["message"] = strings.Repeat("x", 1<<20)
	many := make([]object, 2000)
	for i := range many {
		many[i] = condition(fmt.Sprint("Other", i), "True", "Other")
	}
	obj := withConditions(shop(t, `{"observedGeneration":1}`), append(many, long)...)
	check(t, "many", obj, isReady)
}
