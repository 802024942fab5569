// SPDX-License-Identifier: Apache-2.0
#include "test/sim/subject.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/strings.h"

namespace chartwright::sim {
namespace {

using bundle::testing::Files;
using bundle::testing::with;

std::string map_template(const std::string& name, const std::string& color) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name +
         "\ndata:\n  color: " + color + "\n";
}

/// Two ConfigMaps in a color, and a third one if `extra` names it.
Files paint_chart() {
  return {
      {"Chart.yaml", "apiVersion: v2\nname: widget\nversion: 0.1.0\n"},
      {"values.yaml", "color: red\nextra: \"\"\n"},
      {"templates/a.yaml", map_template("{{ .Release.Name }}-a", "{{ .Values.color | quote }}")},
      {"templates/b.yaml", map_template("{{ .Release.Name }}-b", "{{ .Values.color | quote }}")},
      {"templates/extra.yaml", "{{- with .Values.extra }}\n" +
                                   map_template("{{ . }}", "{{ $.Values.color | quote }}") +
                                   "{{- end }}\n"}};
}

/// Does not render for the color "broken".
Files brittle_chart() {
  return with(paint_chart(), {{"templates/check.yaml",
                               "{{- if eq .Values.color \"broken\" }}{{ fail \"it is broken\" }}"
                               "{{ end }}\n"}});
}

/// Paints the ConfigMaps labelled app=theirs, which others have made.
Files patch_chart() {
  return with(paint_chart(), {{"operator/patches/theirs.yaml",
                               map_template("theirs", "{{ .Values.color | quote }}")},
                              {"operator/operator.yaml",
                               "related:\n  theirs:\n    apiVersion: v1\n    kind: ConfigMap\n"
                               "    selector: {app: theirs}\n"}});
}

/// Tells in its status the color of the ConfigMap that its spec names, which others have made.
Files related_chart() {
  return with(paint_chart(),
              {{"operator/status.yaml",
                "shown: {{ range .Related.theirs }}{{ .data.color }}{{ else }}none{{ end }}\n"},
               {"operator/operator.yaml",
                "related:\n  theirs:\n    apiVersion: v1\n    kind: ConfigMap\n"
                "    name: '{{ .CR.spec.shows }}'\n"}});
}

/// Keeps one of its ConfigMaps when it goes.
Files keep_chart() {
  return with(paint_chart(),
              {{"templates/kept.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-kept\n"
                "  annotations: {helm.sh/resource-policy: keep}\n"
                "data:\n  color: {{ .Values.color | quote }}\n"}});
}

Files hook_chart() {
  return with(paint_chart(),
              {{"templates/hook.yaml",
                "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-before\n"
                "  annotations:\n    helm.sh/hook: pre-install,pre-upgrade\n"
                "    helm.sh/hook-delete-policy: before-hook-creation\nspec: {}\n"}});
}

}  // namespace

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"install", {{"Widget", paint_chart()}}, {"put Widget w color=red"}},
      {"upgrade",
       {{"Widget", paint_chart()}},
       {"put Widget w color=red extra=more", "wait 1m", "put Widget w color=green"}},
      {"hasty-edits",
       {{"Widget", paint_chart()}},
       {"put Widget w color=red extra=more", "put Widget w color=green", "wait 100ms",
        "put Widget w color=blue"}},
      {"uninstall",
       {{"Widget", paint_chart()}},
       {"put Widget w color=red", "wait 1m", "delete Widget w"}},
      {"recreate",
       {{"Widget", paint_chart()}},
       {"put Widget w color=red", "wait 1m", "delete Widget w", "wait 1m",
        "put Widget w color=blue"}},
      {"drift",
       {{"Widget", paint_chart()}},
       {"put Widget w color=red", "wait 1m", "paint ConfigMap w-a black", "erase ConfigMap w-b"}},
      {"two-widgets",
       {{"Widget", paint_chart()}},
       {"put Widget w color=red", "put Widget v color=green", "wait 1s", "put Widget w color=blue",
        "delete Widget v"}},
      {"two-kinds",
       {{"Widget", paint_chart()}, {"Gadget", paint_chart()}},
       {"put Widget w color=red", "put Gadget g color=green", "wait 1s", "put Gadget g color=blue",
        "delete Widget w"}},
      {"hooks",
       {{"Widget", hook_chart()}},
       {"put Widget w color=red", "wait 1m", "put Widget w color=green"}},
      {"rollback",
       {{"Widget", paint_chart()}},
       {"put Widget w color=red", "wait 10m", "put Widget w color=green extra=more", "wait 10m",
        "annotate Widget w chartwright.io/rollback-to previous"}},
      {"broken",
       {{"Widget", brittle_chart()}},
       {"put Widget w color=red", "wait 1m", "put Widget w color=broken",
        "paint ConfigMap w-a black", "wait 1m", "put Widget w color=green"}},
      {"squatter",
       {{"Widget", paint_chart()}},
       {"squat ConfigMap w-b", "put Widget w color=red", "wait 1m", "erase ConfigMap w-b"}},
      {"one-name",
       {{"Widget", paint_chart()}},
       {"put Widget w color=red extra=shared", "wait 10m", "put Widget v color=blue extra=shared",
        "wait 10m", "delete Widget w"}},
      {"one-target",
       {{"Widget", patch_chart()}},
       {"squat ConfigMap theirs", "put Widget w color=red", "wait 10m", "put Widget v color=blue",
        "wait 10m", "delete Widget w"}},
      {"restart",
       {{"Widget", paint_chart()}},
       {"put Widget w color=red extra=more", "wait 1s", "put Widget w color=green", "restart",
        "put Widget w color=blue"}},
      {"rename",
       {{"Widget", paint_chart()}},
       {"put Widget w color=red extra=more", "wait 1m", "put Widget w color=red extra=other",
        "wait 1m", "put Widget w color=red extra=more"}},
      {"paused",
       {{"Widget", paint_chart()}},
       {"put Widget w color=red extra=more", "wait 1m",
        "annotate Widget w chartwright.io/paused true", "put Widget w color=green",
        "paint ConfigMap w-a black", "wait 1m", "annotate Widget w chartwright.io/paused false"}},
      {"related",
       {{"Widget", related_chart()}},
       {"put Widget w color=red shows=theirs", "wait 1m", "squat ConfigMap theirs", "wait 1m",
        "paint ConfigMap theirs blue"}},
      {"kept",
       {{"Widget", keep_chart()}},
       {"put Widget w color=red", "wait 1m", "delete Widget w", "wait 1m",
        "put Widget w color=blue"}},
      {.name = "handover",
       .kinds = {{"Widget", paint_chart()}},
       .steps = {"start b", "put Widget w color=red extra=more", "wait 1m",
                 "put Widget w color=green", "wait 1s", "stop a", "put Widget v color=blue"},
       .elects = true},
      {.name = "frozen-leader",
       .kinds = {{"Widget", paint_chart()}},
       .steps = {"start b", "put Widget w color=red extra=more", "wait 1m",
                 "put Widget w color=green", "freeze a 30s", "wait 20s", "put Widget w color=blue"},
       .elects = true},
  };
  return all;
}

LoadedSubject::LoadedSubject(Subject subject) : subject_(std::move(subject)) {
  for (const Subject::Kind& kind : subject_.kinds) {
    folders_.push_back(std::make_unique<bundle::testing::Folder>(kind.chart));
    bundle::Watch& watch = watches_.emplace_back();
    watch.gvk = {"example.com", "v1", kind.name};
    watch.chart_path = folders_.back()->path();
    watch.bundle = CW_MUST(bundle::load_bundle(watch.chart_path));
  }
}

std::vector<kube::ResourceMapping> LoadedSubject::mappings() const {
  std::vector<kube::ResourceMapping> all;
  for (const auto& [gvk, plural] :
       std::map<kube::Gvk, std::string>{{{"", "v1", "ConfigMap"}, "configmaps"},
                                        {{"", "v1", "Event"}, "events"},
                                        {{"", "v1", "Secret"}, "secrets"},
                                        {{"batch", "v1", "Job"}, "jobs"},
                                        {{"coordination.k8s.io", "v1", "Lease"}, "leases"}}) {
    all.push_back({.gvk = gvk, .plural = plural, .scope = kube::Scope::kNamespaced});
  }
  for (const bundle::Watch& watch : watches_) {
    all.push_back({.gvk = watch.gvk,
                   .plural = base::to_lower_ascii(watch.gvk.kind) + "s",
                   .scope = kube::Scope::kNamespaced,
                   .has_status = true});
  }
  return all;
}

base::Result<std::shared_ptr<const LoadedSubject>> load_subject(const std::string& name) {
  const auto found = std::ranges::find(subjects(), name, &Subject::name);
  if (found == subjects().end()) {
    return base::Error(base::ErrorCode::kNotFound, "there is no subject \"" + name + "\"");
  }
  return std::make_shared<const LoadedSubject>(*found);
}

}  // namespace chartwright::sim
