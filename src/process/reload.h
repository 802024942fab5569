// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "process/operator_inputs.h"

namespace chartwright::process {

/// Decides when files that are looked at again and again are to be loaded: after a change, once two
/// looks in a row see the same, so that a copy under way is not loaded half. Not thread-safe.
class ReloadTurn {
 public:
  /// After files that cannot be loaded, one look in so many loads again: what was missing may lie
  /// where nothing looks, such as a chart that only the new watches file names.
  static constexpr int kLooksToRetry = 10;

  /// Reports whether to load now. `times` is what file_times returns at this look.
  bool is_due(const std::string& times);
  /// The load that was due failed.
  void failed() { is_broken_ = true; }
  /// It succeeded.
  void succeeded() { is_broken_ = false; }

 private:
  std::string last_;    ///< At the last look.
  std::string loaded_;  ///< At the look after which files were loaded last.
  bool is_broken_ = false;
  int looks_ = 0;  ///< Since then.
};

/// Loads the inputs of a running operator again when their files change, on a thread of its own.
/// Files are looked at once a second: the notices of inotify do not come from network volumes, and
/// stop at a mounted ConfigMap that is replaced.
class Reload {
 public:
  static constexpr base::Duration kLook = std::chrono::seconds(1);

  /// How a Reload loads.
  struct Source {
    std::function<base::Result<OperatorInputs>(const std::stop_token&)> load;
    std::vector<std::string> paths;  ///< Looked at.
    std::string identity;            ///< The identity of the inputs in use.
  };

  /// Gets the changed inputs. Must return soon after the stop is requested.
  using OnChange = std::function<void(OperatorInputs, const std::stop_token&)>;

  /// Calls `on_change` at most once, with inputs that differ from those in use. Inputs that cannot
  /// be loaded are logged, and change nothing. The references must outlive this.
  Reload(Source source, OnChange on_change, base::Clock& clock, const base::Logger& log);
  /// Ends.
  ~Reload();
  Reload(const Reload&) = delete;
  Reload& operator=(const Reload&) = delete;

 private:
  void run(const std::stop_token& stop);
  bool load(const std::stop_token& stop);

  const Source source_;
  const OnChange on_change_;
  base::Clock& clock_;
  const base::Logger& log_;
  ReloadTurn turn_;
  std::string last_error_;  ///< The text as logged; empty if the files are as they should be.
  std::stop_source stop_;
  base::Thread thread_;
};

}  // namespace chartwright::process
