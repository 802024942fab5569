// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	lua "github.com/yuin/gopher-lua"
	luajson "layeh.com/gopher-json"
)

// The time that Argo CD gives a script.
const scriptTime = time.Second

// argoHealth is the health of an object in Argo CD.
type argoHealth struct {
	Status  string `json:"status,omitempty"`
	Message string `json:"message,omitempty"`
}

// argoAction is what the discovery of actions says of one.
type argoAction struct {
	Disabled    bool   `json:"disabled"`
	IconClass   string `json:"iconClass"`
	DisplayName string `json:"displayName"`
	Params      []struct {
		Name string `json:"name"`
	} `json:"params"`
}

// argoActions are the actions of a kind, as argocd-cm has them.
type argoActions struct {
	Discovery   string `json:"discovery.lua"`
	Definitions []struct {
		Name   string `json:"name"`
		Script string `json:"action.lua"`
	} `json:"definitions"`
}

// health runs a health check on an object, under the rules of Argo CD: one that is being deleted is Progressing, whatever the
// script says, and a word that is no health is an error.
func health(script string, obj object) (argoHealth, error) {
	metadata, _ := obj["metadata"].(object)
	if metadata["deletionTimestamp"] != nil {
		return argoHealth{"Progressing", "Pending deletion"}, nil
	}
	var found argoHealth
	if err := runScript(script, obj, nil, &found); err != nil {
		return argoHealth{}, err
	}
	known := []string{"Unknown", "Progressing", "Suspended", "Healthy", "Degraded", "Missing"}
	if !slices.Contains(known, found.Status) {
		return argoHealth{}, fmt.Errorf("no health: %q", found.Status)
	}
	return found, nil
}

// discover returns the actions for an object by their names.
func (a argoActions) discover(obj object) (map[string]argoAction, error) {
	var found map[string]argoAction
	err := runScript(a.Discovery, obj, nil, &found)
	return found, err
}

// run runs an action, and returns the object that it makes.
func (a argoActions) run(name string, obj object, params map[string]string) (object, error) {
	for _, definition := range a.Definitions {
		if definition.Name != name {
			continue
		}
		var made object
		if err := runScript(definition.Script, obj, params, &made); err != nil {
			return nil, err
		}
		restoreMaps(made, obj)
		return made, nil
	}
	return nil, fmt.Errorf("no action %s", name)
}

// runScript runs a script with the libraries that Argo CD opens: those for tables and modules, and of the one for the system
// what tells the time. It decodes the table that the script returns.
func runScript(script string, obj object, params map[string]string, into any) error {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable,
	} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			return err
		}
	}
	state.PreloadModule(lua.OsLibName, openClock)
	ctx, cancel := context.WithTimeout(context.Background(), scriptTime)
	defer cancel()
	state.SetContext(ctx)
	given := state.NewTable()
	for name, text := range params {
		given.RawSetString(name, lua.LString(text))
	}
	state.SetGlobal("actionParams", given)
	state.SetGlobal("obj", toLua(state, obj))
	if err := state.DoString(script); err != nil {
		return err
	}
	if state.Get(-1).Type() != lua.LTTable {
		return errors.New("the script returns no table")
	}
	text, err := luajson.Encode(state.Get(-1))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// openClock is the loader of a module with os.time and os.date.
func openClock(state *lua.LState) int {
	module := state.NewTable()
	opened := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer opened.Close()
	_ = opened.CallByParam(lua.P{Fn: opened.NewFunction(lua.OpenOs), Protect: true}, lua.LString(lua.OsLibName))
	all := opened.GetGlobal(lua.OsLibName).(*lua.LTable)
	for _, name := range []string{"time", "date"} {
		module.RawSetString(name, state.NewFunction(all.RawGetString(name).(*lua.LFunction).GFunction))
	}
	state.Push(module)
	return 1
}

// toLua turns a value of JSON into one of Lua. Like Argo CD, it drops nulls.
func toLua(state *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case bool:
		return lua.LBool(v)
	case string:
		return lua.LString(v)
	case float64:
		return lua.LNumber(v)
	case int64:
		return lua.LNumber(v)
	case []any:
		list := state.NewTable()
		for _, item := range v {
			list.Append(toLua(state, item))
		}
		return list
	case object:
		table := state.NewTable()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			table.RawSetString(key, toLua(state, v[key]))
		}
		return table
	}
	return lua.LNil
}

// restoreMaps turns empty lists of `made` into maps where `from` has maps: Lua has one form for both. Argo CD does the same.
func restoreMaps(made, from object) {
	for key, value := range made {
		if before, ok := from[key].(object); ok {
			if list, ok := value.([]any); ok && len(list) == 0 {
				made[key] = object{}
			} else if table, ok := value.(object); ok {
				restoreMaps(table, before)
			}
		}
		if before, ok := from[key].([]any); ok {
			if list, ok := value.([]any); ok {
				restoreMapsIn(list, before)
			}
		}
	}
}

func restoreMapsIn(made, from []any) {
	for i := range min(len(made), len(from)) {
		table, ok := made[i].(object)
		before, had := from[i].(object)
		if ok && had {
			restoreMaps(table, before)
		}
	}
}
