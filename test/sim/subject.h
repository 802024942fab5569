// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/watch.h"
#include "kube/discovery.h"
#include "test/bundle/chart_folder.h"

namespace chartwright::sim {

/// The matter of a run: the charts of the kinds, and the steps of users.
struct Subject {
  struct Kind {
    std::string name;
    bundle::testing::Files chart;
  };
  std::string name;
  std::vector<Kind> kinds;
  /// Each is a step of Stage::perform, "wait DURATION", or one of a process, of which "a" is there
  /// from the beginning: "start P"; "stop P", in good order; "freeze P DURATION"; "restart", which
  /// stops and starts "a".
  std::vector<std::string> steps;
  bool elects = false;  ///< Processes elect a leader.
};

/// A subject with its charts loaded, which all runs share.
class LoadedSubject {
 public:
  explicit LoadedSubject(Subject subject);
  const Subject& subject() const { return subject_; }
  const std::vector<bundle::Watch>& watches() const { return watches_; }
  /// The kinds that the server serves.
  std::vector<kube::ResourceMapping> mappings() const;

 private:
  Subject subject_;
  std::vector<std::unique_ptr<bundle::testing::Folder>> folders_;
  std::vector<bundle::Watch> watches_;
};

const std::vector<Subject>& subjects();
/// Loads the charts of the subject of that name. Error: kNotFound if there is no such subject.
base::Result<std::shared_ptr<const LoadedSubject>> load_subject(const std::string& name);

}  // namespace chartwright::sim
