// SPDX-License-Identifier: Apache-2.0
#include "process/signal_watch.h"

#include <pthread.h>
#include <unistd.h>

namespace chartwright::process {

SignalWatch::SignalWatch(const base::Logger& log) : log_(log) {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    sigaddset(&signals_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  thread_ = base::Thread("signals", base::kDefaultStackBytes, [this] { watch(); });
}

SignalWatch::~SignalWatch() {
  // SIGUSR1 ends the watching thread.
  kill(getpid(), SIGUSR1);
  thread_.join();
}

void SignalWatch::watch() {
  while (true) {
    int signal = 0;
    if (sigwait(&signals_, &signal) != 0 || signal == SIGUSR1) {
      return;
    }
    if (stop_.stop_requested()) {
      _exit(128 + signal);
    }
    log_.info("Stopping", {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
    stop_.request_stop();
  }
}

}  // namespace chartwright::process
