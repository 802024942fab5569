// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "bundle/watch.h"
#include "kube/object.h"
#include "scenario/kind_table.h"
#include "suite/suite.h"
#include "value/path.h"
#include "value/value.h"

// A scenario: what an operator does with the chart of a suite. Given a custom resource and other
// objects, when users, other controllers and the API server do something, then the objects of the
// cluster are as expected.
namespace chartwright::scenario {

/// Something that is done by anybody but the operator.
struct Action {
  enum class Kind : uint8_t {
    kInstall,    ///< The custom resource is created.
    kUninstall,  ///< It is deleted.
    kSet,        ///< The spec of it changes.
    kAnnotate,   ///< The annotations of it change.
    kRollback,   ///< It is rolled back to a revision.
    kChart,      ///< The operator goes on with another chart.
    kEdit,       ///< Somebody changes an object.
    kDelete,     ///< Somebody deletes an object.
    kStatus,     ///< A controller changes the status of an object.
    kReady,      ///< A controller says that an object is ready.
    kRefuse,     ///< The API server will refuse a request of the operator.
    kCrash,      ///< The operator will crash after a write.
    kRestart,    ///< The operator is stopped and started.
    kWait,       ///< Time passes.
  };
  Kind kind{};
  kube::ObjectRef object = {};  ///< One that means() takes; of several, the first.
  /// A merge patch: of the spec, the annotations, the object or its status.
  value::Value patch = {};
  std::string manager = {};  ///< The field manager of kEdit.
  std::string revision = {};
  std::string verb = {};  ///< The verb of the request that is refused.
  int code = 0;
  std::string message = {};
  int64_t count = 0;  ///< kRefuse: how often; kCrash: after how many writes.
  base::Duration duration{};
  std::shared_ptr<const bundle::Watch> watch = {};  ///< kChart.
};

/// Something that is to be so.
struct Expectation {
  enum class Kind : uint8_t {
    kField,      ///< An assertion of a suite holds for an object.
    kPresent,    ///< An object is there.
    kAbsent,     ///< It is not.
    kObjects,    ///< These objects are there and no others.
    kCounts,     ///< So many objects of these kinds are there and no others.
    kOwner,      ///< An object has that owner, or none.
    kManager,    ///< A field of an object is managed by somebody.
    kWrites,     ///< The operator has sent so many writes in this step.
    kCondition,  ///< An object has a condition.
    kEvent,      ///< There is an Event about an object.
    kRevisions,  ///< The custom resource has these revisions.
  };
  struct Writes {
    std::string verb;  ///< Empty: any.
    kube::GroupKind kind;
    int64_t count = 0;
  };
  struct Revision {
    int64_t number = 0;
    std::string status;
  };
  Kind kind{};
  std::string name;  ///< The key that says it: "equal", "writes".
  bool is_not = false;
  base::SourcePos pos = {};
  kube::ObjectRef object = {};  ///< Those that means() takes, all of them.
  std::optional<suite::Assertion> assertion = {};
  std::vector<kube::ObjectRef> objects = {};
  std::map<kube::GroupKind, int64_t> counts = {};
  std::optional<kube::ObjectRef> owner = {};
  std::optional<value::Path> path = {};  ///< The field of kManager.
  std::string manager = {};              ///< Empty: the operator.
  std::vector<Writes> writes = {};
  std::string type = {}, status = {}, reason = {};  ///< Empty: any.
  std::string pattern = {};                         ///< A regexp for the message; empty: any.
  std::vector<Revision> revisions = {};
};

struct Step {
  Action action;
  std::string text;  ///< The step as it is written, on one line.
  base::SourcePos pos = {};
  std::vector<Expectation> then;
};

struct Scenario {
  std::string name;
  std::string skip_reason;
  base::SourcePos pos = {};
  value::Value resource;  ///< The custom resource.
  std::vector<value::Value> objects;
  std::shared_ptr<const bundle::Watch> watch;
  KindTable kinds;
  std::vector<Step> steps;

  kube::ObjectRef ref() const { return kube::ref_of(resource); }
};

}  // namespace chartwright::scenario
