// SPDX-License-Identifier: Apache-2.0
#include "scenario/expectation_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "go/regexp.h"
#include "suite/assertion_file.h"

namespace chartwright::scenario {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using suite::Check;
using suite::SuiteMap;
using value::Value;

namespace {

constexpr std::array<std::string_view, 7> kVerbs = {"apply", "apply-status", "create", "delete",
                                                    "get",   "patch",        "update"};

/// The keys that suites do not have.
constexpr std::array<std::string_view, 10> kOwnKeys = {"object", "present",  "absent", "objects",
                                                       "owner",  "manager",  "writes", "condition",
                                                       "event",  "revisions"};

/// Reads the pattern of a message.
Status read_pattern(SuiteMap& map, std::string& into) {
  CW_TRY_VOID(map.text("pattern", into));
  if (auto pattern = go::Regexp::compile(into); !pattern.ok()) {
    return map.error("pattern", pattern.error().message());
  }
  return {};
}

/// Makes an assertion of a suite one about a live object.
Status check_assertion(const SuiteMap& map, const suite::Assertion& assertion) {
  switch (assertion.check) {
    case Check::kEqualRaw:
    case Check::kMatchRaw:
    case Check::kDocuments:
    case Check::kContainsDocument:
    case Check::kFailedTemplate:
    case Check::kSnapshot:
    case Check::kSnapshotRaw:
      return map.error(assertion.type,
                       "is about rendered templates, and cannot be asked of a live object");
    default:
      break;
  }
  if (!assertion.template_name.empty() || assertion.document_index || assertion.selector) {
    return map.error({},
                     "`template`, `documentIndex` and `documentSelector` are about rendered "
                     "templates: `object` names a live object");
  }
  return {};
}

class ExpectationReader {
 public:
  ExpectationReader(SuiteMap map, const Scenario& scenario)
      : map_(std::move(map)), scenario_(scenario) {
    into_.pos = map_.pos();
    into_.object = scenario.ref();
  }

  Result<Expectation> read() {
    CW_TRY(const std::string key, key_of());
    into_.name = key;
    CW_TRY_VOID(map_.boolean("not", into_.is_not));
    if (map_.has("object")) {
      CW_TRY(into_.object, read_ref(map_, "object", scenario_));
    }
    if (std::ranges::find(kOwnKeys, key) == kOwnKeys.end()) {
      CW_TRY_VOID(read_assertion());
      return std::move(into_);
    }
    CW_TRY_VOID(read_own(key));
    if (into_.is_not && into_.kind != Expectation::Kind::kCondition &&
        into_.kind != Expectation::Kind::kEvent) {
      return map_.error("not", "`" + key + "` cannot be negated");
    }
    CW_TRY_VOID(map_.finish_strictly());
    return std::move(into_);
  }

 private:
  /// Returns the key that says what is expected.
  Result<std::string> key_of() {
    std::string found;
    for (const auto& [key, member] : map_.value().as_dict()) {
      if (key == "object" || key == "not") {
        continue;
      }
      if (!found.empty()) {
        return map_.error(key, "`" + found + "` and `" + key +
                                   "` are two expectations: write two "
                                   "elements");
      }
      found = key;
    }
    if (found.empty()) {
      return map_.error({},
                        "nothing is expected: write `present: KIND/NAME`, or an assertion beside "
                        "`object`");
    }
    return found;
  }

  Status read_assertion() {
    if (!map_.has("object")) {
      const std::string& key = into_.name;
      const std::string_view near =
          base::nearest(key, std::vector<std::string_view>(kOwnKeys.begin(), kOwnKeys.end()));
      return map_.error(
          key, near.empty() ? "an assertion needs `object: KIND/NAME` beside it"
                            : "unknown expectation, did you mean `" + std::string(near) + "`?");
    }
    Value assertion = value::deep_copy(map_.value());
    assertion.mutable_dict().erase("object");
    CW_TRY(into_.assertion, suite::read_assertion(map_.source(), assertion, map_.steps_to({})));
    CW_TRY_VOID(check_assertion(map_, *into_.assertion));
    into_.kind = Expectation::Kind::kField;
    into_.is_not = into_.assertion->is_not;
    return {};
  }

  Status read_own(const std::string& key) {
    using Read = Status (ExpectationReader::*)();
    static constexpr std::array<std::pair<std::string_view, Read>, 9> kReaders = {{
        {"present", &ExpectationReader::read_present},
        {"absent", &ExpectationReader::read_absent},
        {"objects", &ExpectationReader::read_objects},
        {"owner", &ExpectationReader::read_owner},
        {"manager", &ExpectationReader::read_manager},
        {"writes", &ExpectationReader::read_writes},
        {"condition", &ExpectationReader::read_condition},
        {"event", &ExpectationReader::read_event},
        {"revisions", &ExpectationReader::read_revisions},
    }};
    for (const auto& [name, read] : kReaders) {
      if (name == key) {
        return (this->*read)();
      }
    }
    return map_.error(key, "unknown expectation");
  }

  Status read_present() {
    into_.kind = Expectation::Kind::kPresent;
    CW_TRY(into_.object, read_ref(map_, "present", scenario_));
    return {};
  }

  Status read_absent() {
    into_.kind = Expectation::Kind::kAbsent;
    CW_TRY(into_.object, read_ref(map_, "absent", scenario_));
    return {};
  }

  Status read_objects() {
    if (map_.get("objects").is_dict()) {
      return read_counts();
    }
    into_.kind = Expectation::Kind::kObjects;
    std::vector<std::string> texts;
    CW_TRY_VOID(map_.texts("objects", texts));
    for (const std::string& text : texts) {
      auto ref = scenario_.kinds.ref(text, scenario_.ref().ns);
      if (!ref.ok()) {
        return map_.error("objects", ref.error().message());
      }
      into_.objects.push_back(*std::move(ref));
    }
    return {};
  }

  Status read_counts() {
    into_.kind = Expectation::Kind::kCounts;
    CW_TRY(SuiteMap members, map_.map("objects"));
    for (const auto& [key, member] : members.value().as_dict()) {
      auto kind = scenario_.kinds.find(key);
      if (!kind.ok()) {
        return members.error(key, kind.error().message());
      }
      int64_t count = -1;
      CW_TRY_VOID(members.integer(key, count));
      if (count < 0) {
        return members.error(key, "expected a number of objects, 0 or more");
      }
      into_.counts[kind->gvk.group_kind()] = count;
    }
    return {};
  }

  Status read_owner() {
    into_.kind = Expectation::Kind::kOwner;
    CW_TRY_VOID(needs_object("owner"));
    if (map_.get("owner").is_string() && map_.get("owner").as_string() == "none") {
      return {};
    }
    CW_TRY(into_.owner, read_ref(map_, "owner", scenario_));
    return {};
  }

  Status read_manager() {
    into_.kind = Expectation::Kind::kManager;
    CW_TRY_VOID(needs_object("manager"));
    CW_TRY(SuiteMap members, map_.map("manager"));
    std::string path;
    CW_TRY_VOID(members.text("path", path));
    CW_TRY_VOID(members.text("name", into_.manager));
    CW_TRY_VOID(members.finish_strictly());
    if (path.empty() || into_.manager.empty()) {
      return map_.error("manager",
                        "expected {path: PATH, name: MANAGER}; `operator` is the manager "
                        "of the operator");
    }
    auto parsed = value::Path::parse(path);
    if (!parsed.ok()) {
      return members.error("path", parsed.error().message());
    }
    into_.path.emplace(*std::move(parsed));
    into_.manager = into_.manager == "operator" ? "" : into_.manager;
    return {};
  }

  Status read_writes() {
    into_.kind = Expectation::Kind::kWrites;
    const Value v = map_.get("writes");
    if (!v.is_dict()) {
      int64_t count = -1;
      CW_TRY_VOID(map_.integer("writes", count));
      return add_writes(map_, "writes", {.verb = "", .kind = {}, .count = count});
    }
    CW_TRY(SuiteMap members, map_.map("writes"));
    for (const auto& [key, member] : v.as_dict()) {
      std::string_view rest = key;
      auto verb = take_verb(rest);
      if (!verb.ok()) {
        return members.error(key, verb.error().message());
      }
      if (*verb == "get") {
        return members.error(key, "a get is no write");
      }
      auto kind = scenario_.kinds.find(rest);
      if (!kind.ok()) {
        return members.error(key, kind.error().message());
      }
      int64_t count = -1;
      CW_TRY_VOID(members.integer(key, count));
      CW_TRY_VOID(add_writes(members, key,
                             {.verb = *verb, .kind = kind->gvk.group_kind(), .count = count}));
    }
    return {};
  }

  Status add_writes(const SuiteMap& map, std::string_view key, Expectation::Writes writes) {
    if (writes.count < 0) {
      return map.error(key, "expected a number of writes, 0 or more");
    }
    into_.writes.push_back(std::move(writes));
    return {};
  }

  Status read_condition() {
    into_.kind = Expectation::Kind::kCondition;
    CW_TRY(SuiteMap members, map_.map("condition"));
    CW_TRY_VOID(members.text("type", into_.type));
    CW_TRY_VOID(read_status(members));
    CW_TRY_VOID(members.text("reason", into_.reason));
    CW_TRY_VOID(read_pattern(members, into_.pattern));
    if (into_.type.empty()) {
      return map_.error("condition", "expected at least {type: TYPE}");
    }
    return members.finish_strictly();
  }

  /// An unquoted True is a bool, and is meant as the status that conditions have.
  Status read_status(SuiteMap& members) {
    const Value status = members.get("status");
    if (status.is_bool()) {
      into_.status = status.as_bool() ? "True" : "False";
      return {};
    }
    CW_TRY_VOID(members.text("status", into_.status));
    if (!into_.status.empty() && into_.status != "True" && into_.status != "False" &&
        into_.status != "Unknown") {
      return members.error("status", "expected True, False or Unknown");
    }
    return {};
  }

  Status read_event() {
    into_.kind = Expectation::Kind::kEvent;
    CW_TRY(SuiteMap members, map_.map("event"));
    CW_TRY_VOID(members.text("type", into_.type));
    CW_TRY_VOID(members.text("reason", into_.reason));
    CW_TRY_VOID(read_pattern(members, into_.pattern));
    if (into_.reason.empty()) {
      return map_.error("event", "expected at least {reason: REASON}");
    }
    return members.finish_strictly();
  }

  Status read_revisions() {
    into_.kind = Expectation::Kind::kRevisions;
    CW_TRY(const std::vector<Value> items, map_.list("revisions"));
    for (size_t i = 0; i < items.size(); ++i) {
      SuiteMap::Steps place = map_.steps_to("revisions");
      place.emplace_back(i);
      CW_TRY(SuiteMap members, SuiteMap::open(map_.source(), items[i], std::move(place)));
      Expectation::Revision revision;
      CW_TRY_VOID(members.integer("number", revision.number));
      CW_TRY_VOID(members.text("status", revision.status));
      CW_TRY_VOID(members.finish_strictly());
      if (revision.number <= 0 || revision.status.empty()) {
        return members.error({},
                             "expected {number: N, status: STATUS}, as in {number: 1, status: "
                             "deployed}");
      }
      into_.revisions.push_back(std::move(revision));
    }
    return {};
  }

  Status needs_object(const std::string& key) const {
    if (!map_.has("object")) {
      return map_.error(key, "needs `object: KIND/NAME` beside it");
    }
    return {};
  }

  SuiteMap map_;
  const Scenario& scenario_;
  Expectation into_;
};

}  // namespace

Result<std::string> take_verb(std::string_view& text) {
  const std::string_view verb = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), verb.size() + 1));
  if (std::ranges::find(kVerbs, verb) == kVerbs.end()) {
    const std::string_view near =
        base::nearest(verb, std::vector<std::string_view>(kVerbs.begin(), kVerbs.end()));
    return Error(
        ErrorCode::kInvalidArgument,
        "unknown verb \"" + std::string(verb) + "\"" +
            (near.empty()
                 ? ": expected one of " +
                       base::join(std::vector<std::string>(kVerbs.begin(), kVerbs.end()), ", ")
                 : ", did you mean \"" + std::string(near) + "\"?"));
  }
  return std::string(verb);
}

Result<kube::ObjectRef> read_ref(SuiteMap& map, std::string_view key, const Scenario& scenario) {
  std::string text;
  CW_TRY_VOID(map.text(key, text));
  auto ref = scenario.kinds.ref(text, scenario.ref().ns);
  if (!ref.ok()) {
    return map.error(key, ref.error().message());
  }
  return ref;
}

Result<Expectation> read_expectation(const suite::SuiteText& text, const Value& v,
                                     SuiteMap::Steps steps, const Scenario& scenario) {
  CW_TRY(SuiteMap map, SuiteMap::open(text, v, std::move(steps)));
  return ExpectationReader(std::move(map), scenario).read();
}

}  // namespace chartwright::scenario
