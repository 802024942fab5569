// SPDX-License-Identifier: Apache-2.0
#include "process/reload.h"

#include <utility>

#include "process/file_times.h"
#include "runtime/pause.h"

namespace chartwright::process {

bool ReloadTurn::is_due(const std::string& times) {
  const bool is_still = times == std::exchange(last_, times);
  ++looks_;
  const bool is_due = times != loaded_ || (is_broken_ && looks_ >= kLooksToRetry);
  if (!is_still || !is_due) {
    return false;
  }
  loaded_ = times;
  looks_ = 0;
  return true;
}

Reload::Reload(Source source, OnChange on_change, base::Clock& clock, const base::Logger& log)
    : source_(std::move(source)), on_change_(std::move(on_change)), clock_(clock), log_(log) {
  thread_ = base::Thread("reload", base::kRenderStackBytes, [this] { run(stop_.get_token()); });
}

Reload::~Reload() {
  stop_.request_stop();
  thread_.join();
}

// The first look loads, too: a file may have changed while the inputs in use were loaded.
void Reload::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (turn_.is_due(file_times(source_.paths)) && load(stop)) {
      return;
    }
    runtime::pause(clock_, kLook, stop);
  }
}

// Reports whether the inputs have changed.
bool Reload::load(const std::stop_token& stop) {
  auto inputs = source_.load(stop);
  if (stop.stop_requested()) {
    return false;
  }
  if (!inputs.ok()) {
    turn_.failed();
    std::string text = inputs.error().to_string();
    if (text != last_error_) {
      log_.error("Changed files cannot be loaded, the operator goes on with what it has",
                 inputs.error());
      last_error_ = std::move(text);
    }
    return false;
  }
  turn_.succeeded();
  if (identity_of(*inputs) != source_.identity) {
    on_change_(*std::move(inputs), stop);
    return true;
  }
  if (!std::exchange(last_error_, "").empty()) {
    log_.info("The files are again as the operator has them");
  }
  return false;
}

}  // namespace chartwright::process
