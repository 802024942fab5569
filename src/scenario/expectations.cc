// SPDX-License-Identifier: Apache-2.0
#include "scenario/expectations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/strings.h"
#include "fields/manager.h"
#include "go/regexp.h"
#include "release/owner.h"
#include "suite/check.h"
#include "suite/snapshot.h"

namespace chartwright::scenario {

using kube::ObjectRef;
using value::Value;
using Lines = std::vector<std::string>;

namespace {

constexpr size_t kListedMax = 30;

/// The lines "Expected: ..." and "Actual: ...".
Lines difference(const std::string& expected, const Lines& actual) {
  Lines lines = {"Expected:", "\t" + expected, "Actual:"};
  for (const std::string& one : actual) {
    if (lines.size() > kListedMax) {
      lines.emplace_back("\t... and more");
      break;
    }
    lines.push_back("\t" + one);
  }
  return lines;
}

std::string on_one_line(std::string_view text) { return base::replace_all(text, "\n", " "); }

std::string quoted_pattern(const std::string& pattern) {
  return pattern.empty() ? "" : ", message =~ /" + pattern + "/";
}

bool matches(const std::string& pattern, std::string_view text) {
  const auto compiled = go::Regexp::compile(pattern);
  return pattern.empty() || (compiled.ok() && compiled->matches(text));
}

bool fits(const std::string& wanted, std::string_view found) {
  return wanted.empty() || wanted == found;
}

/// Checks one expectation about one state.
class Checker {
 public:
  Checker(const Expectation& of, const Scenario& scenario, const Seen& seen)
      : of_(of), scenario_(scenario), seen_(seen), objects_(seen.all(of.object)) {}

  Lines check() {
    switch (of_.kind) {
      case Expectation::Kind::kPresent:
        return objects_.empty() ? missing() : Lines();
      case Expectation::Kind::kAbsent:
        return check_absent();
      case Expectation::Kind::kObjects:
        return check_objects();
      case Expectation::Kind::kCounts:
        return check_counts();
      case Expectation::Kind::kWrites:
        return check_writes();
      case Expectation::Kind::kEvent:
        return check_event();
      default:
        return check_each();
    }
  }

 private:
  /// Returns the lines of the first object for which it does not hold.
  Lines check_each() {
    for (const Value* object : objects_) {
      object_ = object;
      if (Lines lines = check_object(); !lines.empty()) {
        return lines;
      }
    }
    return objects_.empty() ? missing() : Lines();
  }

  Lines check_absent() const {
    Lines found;
    for (const Value* object : objects_) {
      found.push_back(text(kube::ref_of(*object)) + " is there");
    }
    return found.empty() ? Lines() : difference("no " + text(of_.object), found);
  }

  Lines check_object() const {
    switch (of_.kind) {
      case Expectation::Kind::kField:
        return check_field();
      case Expectation::Kind::kOwner:
        return check_owner();
      case Expectation::Kind::kManager:
        return check_manager();
      case Expectation::Kind::kCondition:
        return check_condition();
      default:
        return check_revisions();
    }
  }

  std::string text(const ObjectRef& ref) const { return short_text(ref, scenario_.ref().ns); }
  /// Returns the object that is checked.
  std::string object_text() const { return text(kube::ref_of(*object_)); }

  Lines missing() const {
    Lines others;
    for (const Value& object : seen_.objects) {
      if (const ObjectRef ref = kube::ref_of(object); ref.group_kind() == of_.object.group_kind()) {
        others.push_back(text(ref));
      }
    }
    if (others.empty()) {
      others.push_back("no " + of_.object.gvk.kind);
    }
    return difference(text(of_.object), others);
  }

  Lines check_field() const {
    suite::Snapshots none({}, suite::SnapshotUse::kCompare);
    const std::vector<Value> documents = {*object_};
    const std::optional<std::string> no_error;
    suite::CheckResult result = suite::run_check({.assertion = *of_.assertion,
                                                  .documents = documents,
                                                  .selected = documents,
                                                  .render_error = no_error,
                                                  .snapshots = none});
    if (result.passed) {
      return {};
    }
    Lines lines = {"Object:\t" + object_text()};
    lines.insert(lines.end(), result.lines.begin(), result.lines.end());
    return lines;
  }

  /// Reports whether the operator made the object for itself, or it was given: an Event, a record
  /// of a release, the custom resource, an object of the operator.
  bool is_aside(const ObjectRef& ref) const {
    return ref == scenario_.ref() || ref.ns == kOperatorNamespace || ref.gvk.kind == "Event" ||
           (kube::is_secret(ref.gvk) && ref.name.starts_with("sh.helm.release.v1.")) ||
           std::ranges::any_of(scenario_.objects,
                               [&ref](const Value& object) { return kube::ref_of(object) == ref; });
  }

  Lines check_objects() const {
    std::set<ObjectRef> wanted(of_.objects.begin(), of_.objects.end());
    Lines lines;
    for (const Value& object : seen_.objects) {
      const ObjectRef ref = kube::ref_of(object);
      if (wanted.erase(ref) == 0 && !is_aside(ref)) {
        lines.push_back("not expected: " + text(ref));
      }
    }
    for (const ObjectRef& ref : wanted) {
      lines.push_back("missing: " + text(ref));
    }
    return lines.empty() ? Lines() : difference("these objects and no others", lines);
  }

  Lines check_counts() const {
    std::map<kube::GroupKind, int64_t> found;
    for (const Value& object : seen_.objects) {
      if (const ObjectRef ref = kube::ref_of(object); !is_aside(ref)) {
        ++found[ref.group_kind()];
      }
    }
    Lines lines;
    for (const auto& [kind, count] : of_.counts) {
      if (found[kind] != count) {
        lines.push_back(std::to_string(found[kind]) + " of kind " + kind.kind + ", not " +
                        std::to_string(count));
      }
    }
    for (const auto& [kind, count] : found) {
      if (!of_.counts.contains(kind)) {
        lines.push_back("not expected: " + std::to_string(count) + " of kind " + kind.kind);
      }
    }
    return lines.empty() ? Lines() : difference("so many objects and no others", lines);
  }

  Lines check_owner() const {
    std::string found = "none";
    bool is_wanted = !of_.owner;
    for (const kube::OwnerReference& owner : kube::owner_references_of(*object_)) {
      const ObjectRef ref{kube::Gvk::from_api_version(owner.api_version, owner.kind),
                          of_.owner ? of_.owner->ns : "", owner.name};
      const Value* const live = of_.owner ? seen_.find(*of_.owner) : nullptr;
      const bool same_uid = live != nullptr && kube::uid_of(*live) == owner.uid;
      is_wanted = of_.owner && ref == *of_.owner && same_uid;
      found =
          owner.kind + "/" + owner.name + (same_uid || ref != of_.owner ? "" : ", of another uid");
      if (is_wanted) {
        break;
      }
    }
    // Where a reference is not possible, annotations name the owner.
    if (const auto named = kube::annotation_of(*object_, release::kOwnerAnnotation)) {
      const auto type = kube::annotation_of(*object_, release::kOwnerTypeAnnotation);
      found = std::string(type.value_or("")) + " " + std::string(*named) + ", by annotations";
      is_wanted = of_.owner && type == of_.owner->group_kind().to_string() &&
                  (*named == of_.owner->ns + "/" + of_.owner->name || *named == of_.owner->name);
    }
    return is_wanted ? Lines()
                     : difference(object_text() + " with the owner " +
                                      (of_.owner ? text(*of_.owner) : "none"),
                                  {found});
  }

  /// Reports whether a set of managed fields has the path, or a part of it as one field.
  bool has_path(const Value& fields) const {
    const Value* at = &fields;
    for (const value::Path::Step& step : of_.path->steps()) {
      const auto* const name = std::get_if<std::string>(&step);
      if (at->is_dict() && at->as_dict().empty()) {
        return true;  // An atomic field.
      }
      at = name == nullptr ? nullptr : at->find("f:" + *name);
      if (at == nullptr) {
        return false;
      }
    }
    return true;
  }

  Lines check_manager() const {
    const Value* const cr = seen_.find(scenario_.ref());
    const std::string ours = cr == nullptr ? "" : fields::manager_of_owner(kube::uid_of(*cr));
    const auto shown = [&ours](std::string_view manager) {
      return manager == ours || manager == fields::kFieldManager ? "operator"
                                                                 : std::string(manager);
    };
    Lines found;
    for (const Value& entry : object_->items_at({"metadata", "managedFields"})) {
      const Value* const fields = entry.find("fieldsV1");
      if (fields != nullptr && has_path(*fields)) {
        found.push_back(shown(entry.string_at({"manager"})));
      }
    }
    const std::string wanted = of_.manager.empty() ? "operator" : of_.manager;
    if (std::ranges::find(found, wanted) != found.end()) {
      return {};
    }
    if (found.empty()) {
      found.emplace_back("nobody");
    }
    return difference(of_.path->to_string() + " of " + object_text() + " managed by " + wanted,
                      found);
  }

  Lines check_writes() const {
    Lines lines;
    for (const Expectation::Writes& writes : of_.writes) {
      const auto count = std::ranges::count_if(seen_.requests, [&writes](const Request& request) {
        return is_counted_write(request) &&
               (writes.verb.empty() ||
                (request.verb == writes.verb && request.ref.group_kind() == writes.kind));
      });
      if (count != writes.count) {
        const std::string what =
            writes.verb.empty() ? "writes" : "x " + writes.verb + " " + writes.kind.kind;
        const Lines one =
            difference(std::to_string(writes.count) + " " + what, {std::to_string(count)});
        lines.insert(lines.end(), one.begin(), one.end());
      }
    }
    return lines;
  }

  Lines check_condition() const {
    Lines found;
    bool has_it = false;
    for (const Value& one : object_->items_at({"status", "conditions"})) {
      const std::string_view type = one.string_at({"type"});
      const std::string_view status = one.string_at({"status"});
      const std::string_view reason = one.string_at({"reason"});
      const std::string_view message = one.string_at({"message"});
      has_it = has_it || (type == of_.type && fits(of_.status, status) &&
                          fits(of_.reason, reason) && matches(of_.pattern, message));
      found.push_back(base::join(
          {std::string(type), std::string(status), std::string(reason), std::string(message)},
          " "));
    }
    const std::string wanted = std::string(of_.is_not ? "no " : "") + "condition " +
                               base::join(parts({of_.type, of_.status, of_.reason}), " ") +
                               quoted_pattern(of_.pattern);
    return verdict(has_it, wanted, std::move(found), "no conditions");
  }

  /// Reports whether an Event is about an object of the expectation, which may be gone.
  bool is_about(const Value& event) const {
    const Value* const involved = event.find("involvedObject");
    if (involved == nullptr || involved->string_at({"kind"}) != of_.object.gvk.kind) {
      return false;
    }
    ObjectRef ref = of_.object;
    ref.name = involved->string_at({"name"});
    return means(of_.object, ref);
  }

  Lines check_event() const {
    Lines found;
    bool has_it = false;
    for (const Value& event : seen_.objects) {
      if (kube::gvk_of(event).kind != "Event" || !is_about(event)) {
        continue;
      }
      const std::string_view type = event.string_at({"type"});
      const std::string_view reason = event.string_at({"reason"});
      const std::string_view message = event.string_at({"message"});
      has_it =
          has_it || (fits(of_.type, type) && reason == of_.reason && matches(of_.pattern, message));
      found.push_back(
          base::join({std::string(type), std::string(reason), on_one_line(message)}, " "));
    }
    const std::string wanted = std::string(of_.is_not ? "no " : "") + "Event " +
                               base::join(parts({of_.type, of_.reason}), " ") + " about " +
                               text(of_.object) + quoted_pattern(of_.pattern);
    return verdict(has_it, wanted, std::move(found), "no Events");
  }

  Lines verdict(bool has_it, const std::string& wanted, Lines found, const char* none) const {
    if (has_it != of_.is_not) {
      return {};
    }
    if (found.empty()) {
      found.emplace_back(none);
    }
    return difference(wanted, found);
  }

  static Lines parts(const Lines& all) {
    Lines some;
    std::ranges::copy_if(all, std::back_inserter(some),
                         [](const std::string& part) { return !part.empty(); });
    return some;
  }

  Lines check_revisions() const {
    std::vector<std::pair<int64_t, std::string>> found;
    for (const Value& item : object_->items_at({"status", "history"})) {
      const Value* const number = item.find("revision");
      found.emplace_back(number != nullptr && number->is_int() ? number->as_int() : 0,
                         item.string_at({"status"}));
    }
    std::ranges::sort(found);
    std::vector<std::pair<int64_t, std::string>> wanted;
    for (const Expectation::Revision& revision : of_.revisions) {
      wanted.emplace_back(revision.number, revision.status);
    }
    std::ranges::sort(wanted);
    const auto shown = [](const auto& revisions) {
      Lines all;
      for (const auto& [number, status] : revisions) {
        all.push_back(std::to_string(number) + " " + status);
      }
      return all.empty() ? std::string("none") : base::join(all, ", ");
    };
    return found == wanted ? Lines() : difference("revisions " + shown(wanted), {shown(found)});
  }

  const Expectation& of_;
  const Scenario& scenario_;
  const Seen& seen_;
  const std::vector<const Value*> objects_;  ///< Those that the expectation is about.
  const Value* object_ = nullptr;            ///< The one of them that is checked.
};

}  // namespace

const Value* Seen::find(const ObjectRef& ref) const {
  const auto found = std::ranges::find_if(
      objects, [&ref](const Value& object) { return kube::ref_of(object) == ref; });
  return found == objects.end() ? nullptr : &*found;
}

std::vector<const Value*> Seen::all(const ObjectRef& ref) const {
  std::vector<const Value*> found;
  for (const Value& object : objects) {
    if (means(ref, kube::ref_of(object))) {
      found.push_back(&object);
    }
  }
  return found;
}

Lines check(const Expectation& expectation, const Scenario& scenario, const Seen& seen) {
  return Checker(expectation, scenario, seen).check();
}

}  // namespace chartwright::scenario
