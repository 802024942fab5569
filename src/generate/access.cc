// SPDX-License-Identifier: Apache-2.0
#include "generate/access.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "diagnosis/diagnosis.h"
#include "go/path.h"
#include "helm/analysis/written_kinds.h"
#include "helm/chart/chart.h"
#include "history/chart_definitions.h"

namespace chartwright::generate {
namespace {

using helm::analysis::KindName;
using kube::Scope;
using Verbs = std::set<std::string>;

// The requests of the operator. Children: informers list and watch them; apply.cc reads one before
// it takes it over or obeys rules, applies it (create and patch), and prunes it.
const Verbs& child_verbs() {
  static const Verbs kVerbs = {"create", "delete", "get", "list", "patch", "watch"};
  return kVerbs;
}
/// release/hook_runner.cc creates a hook's object, follows it and deletes it.
const Verbs& hook_verbs() {
  static const Verbs kVerbs = {"create", "delete", "get", "list", "watch"};
  return kVerbs;
}
/// Partial objects are never created or deleted. Their targets are watched by name.
const Verbs& patch_verbs() {
  static const Verbs kVerbs = {"get", "list", "patch", "watch"};
  return kVerbs;
}
const Verbs& watch_verbs() {
  static const Verbs kVerbs = {"list", "watch"};
  return kVerbs;
}

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kExtensionsGroup = "apiextensions.k8s.io";
constexpr std::string_view kRegistrationGroup = "apiregistration.k8s.io";

class AccessFinder {
 public:
  explicit AccessFinder(kinds::DefinedKinds defined) : defined_(std::move(defined)) {}

  base::Status add(const bundle::Watch& watch) {
    chart_ = watch.chart_path;
    auto written = helm::analysis::written_kinds(*watch.bundle.chart);
    if (!written.ok()) {
      return std::move(written).error().wrap("chart " + chart_);
    }
    add_custom_resource(watch);
    for (const auto& [name, kind] : written->kinds) {
      add_child(name, kind);
    }
    add_ruled_kinds(watch.bundle.rules, *written);
    for (const auto& [name, kind] : written->patches) {
      need(Purpose::kPatches, gvk_of(name), patch_verbs(), kind.files);
    }
    for (const bundle::RelatedConfig& related : watch.bundle.rules.related) {
      need(Purpose::kRelated, related.gvk, watch_verbs(), {"operator/operator.yaml"});
    }
    for (const auto& [name, lists] : written->lookups) {
      need(Purpose::kLookups, gvk_of(name), {lists ? "list" : "get"}, {});
    }
    add_definitions(watch);
    add_capabilities(watch);
    add_notes(*written);
    return {};
  }

  void add(const ServedViews& served) {
    for (Rule& rule : view_rules(served, defined_)) {
      put(std::move(rule));
    }
    for (const views::View& view : served.views) {
      if (!view.source.is_inline()) {
        note_guess(view.source.gvk, view.file);
      }
    }
  }

  /// Adds what the operator needs for its own records.
  void add_records() {
    // Revisions: release/revision.cc. Events: subject/event_recorder.cc.
    put({Purpose::kRevisions,
         "",
         "secrets",
         {},
         {"create", "delete", "get", "list", "patch"},
         Scope::kNamespaced,
         {}});
    put({Purpose::kEvents, "", "events", {}, {"create", "patch"}, Scope::kNamespaced, {}});
  }

  Access finish() && {
    Access access;
    access.resources = std::move(resources_);
    std::set<std::pair<std::string, std::string>> told;  // Several kinds may have one chart.
    for (AccessNote& note : notes_) {
      if (told.emplace(note.place, note.text).second) {
        access.notes.push_back(std::move(note));
      }
    }
    // The verbs that are granted on the same objects in the same places.
    std::map<std::tuple<std::string, std::string, Scope, std::string>, Verbs> granted;
    for (const auto& [key, rule] : rules_) {
      Rule rest = rule;
      Verbs& before = granted[{rule.group, rule.resource, rule.scope, rule.ns}];
      std::erase_if(rest.verbs, [&](const std::string& verb) { return before.contains(verb); });
      if (rest.names.empty()) {
        before.insert(rest.verbs.begin(), rest.verbs.end());
      }
      if (!rest.verbs.empty()) {
        access.rules.push_back(std::move(rest));
      }
    }
    return access;
  }

 private:
  using Key = std::tuple<Purpose, std::string, std::string, std::vector<std::string>, std::string>;

  static kube::Gvk gvk_of(const KindName& name) {
    return kube::Gvk::from_api_version(name.first, name.second);
  }

  std::set<std::string> in_chart(const std::set<std::string>& files) const {
    std::set<std::string> all;
    for (const std::string& file : files) {
      all.insert(go::join_path(chart_, file));
    }
    return all;
  }

  void put(Rule rule) {
    Rule& known =
        rules_.try_emplace({rule.purpose, rule.group, rule.resource, rule.names, rule.ns}, rule)
            .first->second;
    known.verbs.insert(rule.verbs.begin(), rule.verbs.end());
    known.sources.insert(rule.sources.begin(), rule.sources.end());
  }

  /// Returns the resource of a kind, with a note if it is a guess.
  kinds::Resource note_guess(const kube::Gvk& gvk, const std::string& place) {
    kinds::Resource resource = kinds::resource_of(gvk.group_kind(), defined_);
    const bool is_new = resources_.emplace(gvk.group_kind(), resource).second;
    if (resource.guessed && is_new) {
      notes_.push_back({place,
                        "no CRD of the chart defines " + gvk.group_kind().to_string() +
                            ": its resource is taken to be \"" + resource.plural +
                            "\", and namespaced",
                        false});
    }
    return resource;
  }

  kinds::Resource need(Purpose purpose, const kube::Gvk& gvk, const Verbs& verbs,
                       const std::set<std::string>& files) {
    kinds::Resource resource = note_guess(gvk, chart_);
    put({purpose, gvk.group, resource.plural, {}, verbs, resource.scope, in_chart(files)});
    return resource;
  }

  // live_resource.cc: reads it, merges finalizers, applies the status. The API server demands
  // "update" of the subresource finalizers for an owner reference that blocks the owner's deletion.
  void add_custom_resource(const bundle::Watch& watch) {
    const kinds::Resource own = note_guess(watch.gvk, chart_);
    const auto rule = [&](Purpose purpose, std::string_view suffix, Verbs verbs) {
      put({purpose,
           watch.gvk.group,
           own.plural + std::string(suffix),
           {},
           std::move(verbs),
           own.scope,
           {}});
    };
    rule(Purpose::kCustomResources, "", {"get", "list", "patch", "watch"});
    rule(Purpose::kStatus, "/status", {"patch"});
    rule(Purpose::kOwnerReferences, "/finalizers", {"update"});
  }

  void add_child(const KindName& name, const helm::analysis::WrittenKind& kind) {
    if (kind.only_tests) {
      return;  // They never run.
    }
    const kube::Gvk gvk = gvk_of(name);
    need(kind.only_hooks ? Purpose::kHooks : Purpose::kChildren, gvk,
         kind.only_hooks ? hook_verbs() : child_verbs(), kind.files);
    if (!kind.only_hooks) {  // Lists: subject/causes.cc.
      for (const kube::Gvk& listed : diagnosis::listed_kinds(gvk.group_kind())) {
        need(Purpose::kCauses, listed, {"list"}, {});
      }
    }
    if (gvk.group == kRbacGroup) {
      add_grants(gvk, kind);
    }
  }

  // Source: k8s.io/kubernetes pkg/registry/rbac: the writer of a role needs its rights or
  // "escalate"; the writer of a binding, the rights of its role or "bind".
  void add_grants(const kube::Gvk& gvk, const helm::analysis::WrittenKind& kind) {
    const bool binds = gvk.kind.ends_with("Binding");
    const auto grant = [&](std::string_view roles, std::string_view verb, Scope scope) {
      put({Purpose::kGrants,
           gvk.group,
           std::string(roles),
           {},
           {std::string(verb)},
           scope,
           in_chart(kind.files)});
    };
    const auto may_bind = [&kind](const std::string& role) {
      return kind.role_kinds.contains(role) || kind.role_kinds.contains("");
    };
    const bool binds_in_namespace = gvk.kind == "RoleBinding";
    if (gvk.kind == "ClusterRole" || (binds && (!binds_in_namespace || may_bind("ClusterRole")))) {
      grant("clusterroles", binds ? "bind" : "escalate", Scope::kCluster);
    }
    if (gvk.kind == "Role" || (binds_in_namespace && may_bind("Role"))) {
      grant("roles", binds ? "bind" : "escalate", Scope::kNamespaced);
    }
    notes_.push_back({go::join_path(chart_, *kind.files.begin()),
                      "the chart makes a " + gvk.kind + ": the operator needs the right to " +
                          (binds ? "bind any role" : "grant any right (escalate)") +
                          ", or every right that the " + (binds ? "bound role" : gvk.kind) +
                          " has itself",
                      false});
  }

  /// Adds the kinds of rules for children where the templates do not tell all kinds: the author
  /// names a kind there that the values choose.
  void add_ruled_kinds(const bundle::OperatorRules& rules,
                       const helm::analysis::WrittenKinds& written) {
    if (written.computed.empty() && written.complete) {
      return;
    }
    for (const release::ChildRule& rule : rules.children) {
      const KindName name(rule.match.api_version, rule.match.kind);
      const bool is_whole = !name.first.empty() && !name.second.empty();
      if (is_whole && !written.kinds.contains(name) && !written.patches.contains(name)) {
        add_child(name, {{"operator/operator.yaml"}, false, false, {""}});
      }
    }
  }

  void add_definitions(const bundle::Watch& watch) {
    if (watch.crds == release::DefinitionPolicy::kSkip) {
      return;
    }
    const auto read = op::read_definitions(helm::crds_of(watch.bundle.chart->chart()));
    if (!read.ok()) {
      notes_.push_back({chart_, "crds/ cannot be installed: " + read.error().to_string(), true});
      return;
    }
    const std::vector<release::Definition>& definitions = *read;
    if (definitions.empty()) {
      return;
    }
    std::vector<std::string> names;
    names.reserve(definitions.size());
    for (const release::Definition& one : definitions) {
      names.push_back(one.ref.name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const Verbs verbs = watch.crds == release::DefinitionPolicy::kCreateOrUpdate
                            ? Verbs{"get", "patch"}
                            : Verbs{"get"};
    const std::string group(kExtensionsGroup);
    const std::string resource = "customresourcedefinitions";
    put({Purpose::kDefinitions,
         group,
         resource,
         {},
         {"create"},
         Scope::kCluster,
         in_chart({"crds/"})});
    put({Purpose::kDefinitions, group, resource, names, verbs, Scope::kCluster,
         in_chart({"crds/"})});
  }

  // process/capability_watch.cc.
  void add_capabilities(const bundle::Watch& watch) {
    if (!watch.bundle.capability_reads.any()) {
      return;
    }
    for (const auto& [group, resource] : {std::pair{kExtensionsGroup, "customresourcedefinitions"},
                                          std::pair{kRegistrationGroup, "apiservices"}}) {
      put({Purpose::kCapabilities,
           std::string(group),
           resource,
           {},
           watch_verbs(),
           Scope::kCluster,
           in_chart({""})});
    }
  }

  void add_notes(const helm::analysis::WrittenKinds& written) {
    for (const helm::analysis::ComputedKind& computed : written.computed) {
      notes_.push_back({go::join_path(chart_, computed.place),
                        computed.text + "; add a rule for each other kind that you allow", true});
    }
    if (!written.complete) {
      notes_.push_back({chart_, "the templates are too large to be followed", true});
    }
  }

  const kinds::DefinedKinds defined_;
  std::string chart_;
  std::map<Key, Rule> rules_;
  kinds::DefinedKinds resources_;
  std::vector<AccessNote> notes_;
};

/// Adds the CRDs in templates, and in files that templates may write, of a chart and its
/// dependencies.
void add_written(const helm::Chart& chart, kinds::DefinedKinds& into) {
  for (const auto* files : {&chart.content->templates, &chart.content->files}) {
    for (const helm::File& file : *files) {
      kinds::add_written_definitions(file.data, into);
    }
  }
  for (const helm::Chart& dependency : chart.dependencies) {
    add_written(dependency, into);
  }
}

}  // namespace

kinds::DefinedKinds defined_kinds(const std::vector<bundle::Watch>& watches) {
  kinds::DefinedKinds defined;
  for (const bundle::Watch& watch : watches) {
    const auto definitions = op::read_definitions(helm::crds_of(watch.bundle.chart->chart()));
    for (const release::Definition& one :
         definitions.ok() ? *definitions : std::vector<release::Definition>()) {
      kinds::add_definition(one, defined);
    }
    add_written(watch.bundle.chart->chart(), defined);
    defined.emplace(watch.gvk.group_kind(), kinds::own_resource(watch));
  }
  return defined;
}

base::Result<Access> access_of(const std::vector<bundle::Watch>& watches,
                               const ServedViews& served) {
  AccessFinder finder(defined_kinds(watches));
  for (const bundle::Watch& watch : watches) {
    CW_TRY_VOID(finder.add(watch));
  }
  if (!watches.empty()) {
    finder.add_records();
  }
  if (!served.views.empty()) {
    finder.add(served);
  }
  return std::move(finder).finish();
}

}  // namespace chartwright::generate
