// SPDX-License-Identifier: Apache-2.0
#include "process/cr_metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "diagnosis/cause.h"
#include "health/condition_types.h"
#include "health/conditions.h"
#include "health/holds.h"
#include "observe/caches.h"
#include "runtime/exposition.h"

namespace chartwright::process {

struct CrFacts {
  /// The object that they are read from. Its address is not used again while this is kept.
  std::weak_ptr<const value::Value> seen;
  int ready = 0;            ///< 1: it is ready, 0: it is not, -1: that is not known.
  uint32_t conditions = 0;  ///< A bit for each of condition_types(): whether it is True.
  std::string identity;     ///< The labels that name it.
  std::string state;        ///< The other labels of its information.
};

namespace {

namespace condition = health::condition;
using health::ConditionType;
using runtime::label;
using value::Value;

/// Values of the label `ready`, and of chartwright_cr_ready.
constexpr std::array<std::pair<std::string_view, int>, 3> kReadiness = {
    {{"false", 0}, {"true", 1}, {"unknown", -1}}};

bool is_abnormal(const ConditionType& type) {
  return type.polarity == health::Polarity::kAbnormalTrue;
}

uint32_t true_conditions(const Value& cr) {
  uint32_t bits = 0;
  uint32_t bit = 1;
  for (const ConditionType* type : health::condition_types()) {
    bits |= health::has_condition(cr, type->name, "True") ? bit : 0;
    bit <<= 1U;
  }
  return bits;
}

/// Returns 1 if the condition Ready is True, 0 if it is False, and else -1.
int readiness_of(const Value& cr) {
  if (health::has_condition(cr, condition::kReady.name, "True")) {
    return 1;
  }
  return health::has_condition(cr, condition::kReady.name, "False") ? 0 : -1;
}

/// Returns the reason of the condition Ready, "" where there is none. Others than the operator may
/// write a status: a reason that it does not have is "Other".
std::string_view reason_of(const Value& cr) {
  const Value* ready = health::condition_of(cr, condition::kReady.name);
  if (ready == nullptr) {
    return "";
  }
  const std::string_view reason = ready->string_at({"reason"});
  for (const auto names :
       {condition::kReady.reasons(), health::hold_reasons(), diagnosis::code_names()}) {
    const auto known = std::ranges::find(names, reason);
    if (known != names.end()) {
      return *known;
    }
  }
  return "Other";
}

int64_t revision_of(const Value& cr) {
  const Value* revision = cr.find_path({"status", "revision"});
  return revision != nullptr && revision->is_int() ? revision->as_int() : 0;
}

/// Returns the chart of that revision, "shop-1.2.0"; "" if it is not known.
std::string_view chart_of(const Value& cr, int64_t revision) {
  for (const Value& item : cr.items_at({"status", "history"})) {
    const Value* number = item.find("revision");
    if (number != nullptr && number->is_int() && number->as_int() == revision) {
      return item.string_at({"chart"});
    }
  }
  return "";
}

std::string kind_labels(const kube::Gvk& gvk) {
  return label("group", gvk.group) + "," + label("kind", gvk.kind);
}

CrFacts read(const kube::Gvk& gvk, const runtime::Stored& stored) {
  const Value cr = observe::unpack_custom_resource(*stored);
  const int64_t revision = revision_of(cr);
  const auto flag = [&cr](std::string_view name, std::initializer_list<const ConditionType*> any) {
    const bool is_set = std::ranges::any_of(any, [&cr](const ConditionType* type) {
      return health::has_condition(cr, type->name, "True");
    });
    return "," + label(name, is_set ? "true" : "false");
  };
  CrFacts facts;
  facts.seen = stored;
  facts.ready = readiness_of(cr);
  facts.conditions = true_conditions(cr);
  facts.identity = kind_labels(gvk) + "," + label("name", kube::name_of(cr)) + "," +
                   label("namespace", kube::namespace_of(cr));
  facts.state =
      label("chart", chart_of(cr, revision)) + "," + label("revision", std::to_string(revision)) +
      "," + label("reason", reason_of(cr)) + flag("stalled", {&condition::kStalled}) +
      flag("failed", {&condition::kReleaseFailed, &condition::kIrreconcilable}) +
      flag("contested", {&condition::kContested}) + flag("paused", {&condition::kPaused}) +
      flag("rolled_back", {&condition::kRolledBack});
  return facts;
}

/// Collects the samples of one metric.
class Family {
 public:
  Family(std::string name, const std::string& help) : name_(std::move(name)) {
    text_ = "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " gauge\n";
  }
  void add(const std::string& labels, int64_t value) {
    text_ +=
        name_ + (labels.empty() ? "" : "{" + labels + "}") + " " + std::to_string(value) + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  const std::string name_;
  std::string text_;
};

/// The metrics about all custom resources.
struct Families {
  Family crs{"chartwright_crs", "Custom resources, by whether they are ready"};
  Family conditions{"chartwright_cr_conditions", "Custom resources of which a condition is True"};
  Family left_out{"chartwright_crs_left_out",
                  "Custom resources without series of their own, because there are too many"};
  Family ready{"chartwright_cr_ready",
               "Whether a custom resource is ready: 1 yes, 0 no, -1 not known"};
  Family info{"chartwright_cr_info", "The state of a custom resource; always 1"};

  std::string text() const {
    return conditions.text() + info.text() + ready.text() + crs.text() + left_out.text();
  }
};

void add_counts(const kube::Gvk& gvk, const std::vector<const CrFacts*>& all, Families& into) {
  const std::string labels = kind_labels(gvk);
  for (const auto& [text, ready] : kReadiness) {
    const auto number = std::ranges::count(all, ready, &CrFacts::ready);
    into.crs.add(labels + "," + label("ready", text), number);
  }
  uint32_t bit = 1;
  for (const ConditionType* type : health::condition_types()) {
    if (is_abnormal(*type)) {
      const auto number = std::ranges::count_if(
          all, [bit](const CrFacts* facts) { return (facts->conditions & bit) != 0; });
      into.conditions.add(labels + "," + label("condition", type->name), number);
    }
    bit <<= 1U;
  }
}

void add_singles(const std::vector<const CrFacts*>& all, Families& into) {
  for (const CrFacts* facts : all) {
    into.ready.add(facts->identity, facts->ready);
    into.info.add(facts->identity + "," + facts->state, 1);
  }
}

}  // namespace

CrMetrics::CrMetrics(size_t single_max) : single_max_(single_max) {}
CrMetrics::~CrMetrics() = default;

std::string CrMetrics::samples(const std::vector<CrsOfKind>& kinds) {
  size_t number = 0;
  for (const CrsOfKind& kind : kinds) {
    number += kind.all.size();
  }
  const bool has_singles = number <= single_max_;
  Families families;
  base::MutexLock lock(mutex_);
  Known before = std::exchange(known_, {});
  for (const CrsOfKind& kind : kinds) {
    std::vector<const CrFacts*> all;
    for (const runtime::Stored& stored : kind.all) {
      auto found = before.extract(stored.get());
      if (found.empty() || found.mapped()->seen.lock() != stored) {
        known_[stored.get()] = std::make_unique<const CrFacts>(read(kind.gvk, stored));
        ++reads_;
      } else {
        known_.insert(std::move(found));
      }
      all.push_back(known_[stored.get()].get());
    }
    add_counts(kind.gvk, all, families);
    if (has_singles) {
      add_singles(all, families);
    }
  }
  families.left_out.add("", has_singles ? 0 : static_cast<int64_t>(number));
  return families.text();
}

size_t CrMetrics::reads() const {
  base::MutexLock lock(mutex_);
  return reads_;
}

}  // namespace chartwright::process
