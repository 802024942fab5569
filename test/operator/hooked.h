// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "test/operator/records.h"

namespace chartwright::op::testing {

inline std::string hook_job(const std::string& name, const std::string& events,
                            const std::string& more = "") {
  return "---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: " + name +
         "\n  annotations:\n    helm.sh/hook: " + events + "\n" + more + "spec: {}\n";
}

inline const std::string kSucceeded =
    "    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded\n";

/// Hooks for every event, and a password that no second render would repeat.
inline Files hooked_chart() {
  return with(widget_chart(),
              {{"templates/hooks.yaml",
                hook_job("before", "\"pre-install,pre-upgrade,pre-rollback\"") +
                    hook_job("first", "pre-upgrade", "    helm.sh/hook-weight: \"-1\"\n") +
                    hook_job("after", "\"post-install,post-upgrade,post-rollback\"", kSucceeded) +
                    hook_job("farewell", "pre-delete") + hook_job("last", "post-delete")},
               {"templates/password.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: password}\n"
                "data: {color: {{ randAlpha 12 }}}\n"}});
}

inline kube::ObjectRef job(const std::string& name) {
  return {{"batch", "v1", "Job"}, "shop", name};
}

/// A release whose Jobs end as the test decides. It counts what is created, restarts and all.
struct Hooked : World {
  explicit Hooked(const Files& files = hooked_chart()) : World(files) { spec("{}"); }

  std::vector<std::string> created;
  std::set<std::string> passwords;

  void end_job(const std::string& name, const std::string& condition) {
    value::Value object = *api.find(job(name));
    object.mutable_dict().set(
        "status", json(R"({"conditions":[{"type":")" + condition +
                       R"(","status":"True","reason":"Tested","message":"as planned"}]})"));
    api.put(object);
  }
  void complete_jobs() {
    for (const std::string& name : jobs()) {
      end_job(name, "Complete");
    }
  }
  /// Reconciles until a new Job of that name runs, and ends it.
  void await_job(const std::string& name, const std::string& condition) {
    for (int i = 0; i < 9; ++i) {
      step();
      if (!created.empty() && created.back() == name) {
        end_job(name, condition);
        return;
      }
    }
    FAIL("no Job " << name);
  }
  /// One reconcile, counted.
  runtime::Outcome step() {
    const runtime::Outcome outcome = reconcile();
    for (const std::string& name : jobs()) {
      if (uids_.insert(std::string(kube::uid_of(api.peek(job(name))))).second) {
        created.push_back(name);
      }
    }
    if (exists("password")) {
      passwords.insert(color("password"));
    }
    return outcome;
  }
  /// Reconciles until there is nothing left to do; the Jobs complete at once.
  void settle() {
    for (int i = 0; i < 40; ++i) {
      const runtime::Outcome outcome = step();
      if (std::holds_alternative<runtime::Done>(outcome)) {
        return;
      }
      complete_jobs();
    }
    FAIL("it does not come to rest: " << condition("Ready"));
  }
  std::vector<std::string> take_created() { return std::exchange(created, {}); }
  Calls jobs() const {
    Calls there;
    for (const std::string name : {"before", "first", "after", "farewell", "last"}) {
      if (api.has(job(name))) {
        there.push_back(name);
      }
    }
    return there;
  }
  /// The status of each record.
  std::vector<std::string> records() const {
    std::vector<std::string> all;
    for (int number = 1; number < 30; ++number) {
      if (api.has(secret(number))) {
        all.emplace_back(to_string(record(*this, number).status));
      }
    }
    return all;
  }

 private:
  std::set<std::string> uids_;
};

}  // namespace chartwright::op::testing
