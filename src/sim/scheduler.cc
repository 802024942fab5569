// SPDX-License-Identifier: Apache-2.0
#include "sim/scheduler.h"

#include <algorithm>
#include <random>
#include <semaphore>
#include <utility>

#include "base/check.h"

namespace chartwright::sim {

struct Scheduler::Task final : base::Schedule::Member {
  enum class State : uint8_t {
    kReady,
    kLocking,   ///< Waits for `mutex`.
    kWaiting,   ///< Waits for `condition` or `deadline`, and then for `mutex`, if there is one.
    kWatching,  ///< Waits until is_busy returns false.
    kEnded,
  };
  std::string name;
  std::string group;
  std::mt19937_64 random;
  State state = State::kReady;
  std::mutex* mutex = nullptr;
  const void* condition = nullptr;
  Deadline deadline;
  std::function<bool()> is_busy;
  uint64_t ready_since = 0;  ///< In turns.
  uint64_t points = 0;
  int undisturbed = 0;
  std::binary_semaphore turn{0};
};

namespace {

// FNV-1a, which is the same everywhere.
uint64_t digest_of(std::string_view text, uint64_t digest) {
  for (const char c : text) {
    digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return digest;
}

}  // namespace

base::WallTime SimClock::wall() const {
  constexpr base::WallTime kStart(std::chrono::seconds(1'767'323'045));  // 2026-01-02T03:04:05Z
  return kStart + scheduler_.now().time_since_epoch();
}

Scheduler::Scheduler(Strategy& strategy, Options options)
    : explorer_(strategy), strategy_(&strategy), options_(std::move(options)) {}

Scheduler::~Scheduler() = default;

Scheduler::Task& Scheduler::add_task(std::string name) {
  const int same = ++names_[name];
  Task& task = tasks_.emplace_back();
  task.name = same == 1 ? std::move(name) : name + "#" + std::to_string(same);
  task.random.seed(digest_of(task.name, options_.seed));
  task.ready_since = turns_;
  return task;
}

void Scheduler::run(const std::function<void()>& body) {
  CW_CHECK(tasks_.empty());
  current_ = &add_task("main");
  {
    // Also where the body throws for lack of memory.
    const struct Membership {
      explicit Membership(Scheduler* of) { enter(of); }
      ~Membership() { enter(nullptr); }
      Membership(const Membership&) = delete;
      Membership& operator=(const Membership&) = delete;
    } membership(this);
    body();
  }
  const auto running = std::ranges::count_if(
      tasks_, [](const Task& task) { return task.state != Task::State::kEnded; });
  CW_CHECK(running == 1);
}

const std::string& Scheduler::thread() const { return current_->name; }

void Scheduler::note(std::string_view text) { digest_ = digest_of(text, digest_); }

bool Scheduler::is_frozen(const Task& task) const {
  const auto found = frozen_until_.find(task.group);
  return found != frozen_until_.end() && now_ < found->second;
}

void Scheduler::freeze(const std::string& group, base::Duration duration) {
  frozen_until_[group] = now_ + duration;
}

bool Scheduler::can_run(Task& task) const {
  if (is_frozen(task)) {
    return false;
  }
  switch (task.state) {
    case Task::State::kReady:
      return true;
    case Task::State::kLocking:
      if (task.mutex->try_lock()) {
        task.mutex->unlock();
        return true;
      }
      return false;
    case Task::State::kWatching:
      return !task.is_busy();
    case Task::State::kWaiting:
    case Task::State::kEnded:
      return false;
  }
  return false;
}

const std::vector<Scheduler::Task*>& Scheduler::ready_tasks() {
  ready_.clear();
  for (Task& task : tasks_) {
    if (can_run(task)) {
      ready_.push_back(&task);
    }
  }
  std::ranges::stable_sort(ready_, [this](const Task* a, const Task* b) {
    return std::pair(a != current_, a->ready_since) < std::pair(b != current_, b->ready_since);
  });
  return ready_;
}

Scheduler::Task& Scheduler::choose(const std::vector<Task*>& among) {
  if (among.size() == 1) {
    return *among.front();
  }
  names_of_ready_.clear();
  for (const Task* task : among) {
    names_of_ready_.push_back(task->name);
  }
  const uint64_t point = ++current_->points;
  ++choices_;
  const size_t picked = strategy_->pick({current_->name, point, names_of_ready_});
  CW_CHECK(picked < among.size());
  if (picked != 0) {
    deviations_.push_back({current_->name, point, among[picked]->name});
  }
  note(among[picked]->name);
  return *among[picked];
}

void Scheduler::wake(Task& task) {
  task.state = task.mutex == nullptr ? Task::State::kReady : Task::State::kLocking;
  task.condition = nullptr;
  task.deadline.reset();
  task.ready_since = turns_;
}

bool Scheduler::fire_timers() {
  Deadline earliest;
  const auto consider = [&earliest](base::MonotonicTime time) {
    earliest = earliest ? std::min(*earliest, time) : time;
  };
  for (const Task& task : tasks_) {
    if (task.state == Task::State::kWaiting && task.deadline && !is_frozen(task)) {
      consider(*task.deadline);
    }
  }
  for (const auto& [group, until] : frozen_until_) {
    if (now_ < until) {
      consider(until);
    }
  }
  if (!earliest) {
    return false;
  }
  now_ = std::max(now_, *earliest);
  for (Task& task : tasks_) {
    if (task.state == Task::State::kWaiting && task.deadline && *task.deadline <= now_) {
      wake(task);
    }
  }
  return true;
}

std::string Scheduler::describe() const {
  std::string text;
  for (const Task& task : tasks_) {
    switch (task.state) {
      case Task::State::kReady:
        text += "\n  " + task.name + " can run";
        break;
      case Task::State::kLocking:
        text += "\n  " + task.name + " waits for a mutex";
        break;
      case Task::State::kWaiting:
        text += "\n  " + task.name + (task.deadline ? " sleeps" : " waits for a notification");
        break;
      case Task::State::kWatching:
        text += "\n  " + task.name + " waits for another thread";
        break;
      case Task::State::kEnded:
        break;
    }
  }
  return text;
}

/// Wakes the main thread, which must end the others. If it cannot run either, nothing can be saved.
void Scheduler::give_up(const std::string& why) {
  Task& main = tasks_.front();
  const std::string text = why + describe();
  if (!stuck_.empty() || main.state != Task::State::kWaiting) {
    base::check_failed(("the simulation cannot go on: " + text + "\n" + options_.plan).c_str(),
                       __FILE__, __LINE__);
  }
  stuck_ = text;
  wake(main);
}

Scheduler::Task& Scheduler::next_task() {
  if (++turns_ % options_.turns_max == 0) {
    stop_exploring();
    give_up("the run does not come to an end");
  }
  if (!stuck_.empty() && can_run(tasks_.front())) {
    return tasks_.front();  // It is to end the others, which might never give up their turn.
  }
  while (true) {
    if (const std::vector<Task*>& ready = ready_tasks(); !ready.empty()) {
      return choose(ready);
    }
    if (!fire_timers()) {
      give_up("no thread can run");
    }
  }
}

void Scheduler::hand_over() {
  Task& self = *current_;
  Task& next = next_task();
  if (&next != &self) {
    current_ = &next;
    next.turn.release();
    self.turn.acquire();
  }
  self.state = Task::State::kReady;
}

void Scheduler::point() {
  if (current_->undisturbed == 0) {
    hand_over();
  }
}

void Scheduler::pass(base::Duration duration) {
  Task& self = *current_;
  self.state = Task::State::kWaiting;
  self.mutex = nullptr;
  self.condition = &self;
  self.deadline = base::after(now_, duration);
  hand_over();
}

void Scheduler::wake_main() {
  Task& main = tasks_.front();
  if (main.state == Task::State::kWaiting && main.condition == &main) {
    wake(main);
  }
}

void Scheduler::lock(std::mutex& mutex) {
  Task& self = *current_;
  const bool may_switch = options_.grain == Grain::kLocks && self.undisturbed == 0;
  if (may_switch || !mutex.try_lock()) {
    self.mutex = &mutex;
    self.state = Task::State::kLocking;
    hand_over();
    CW_CHECK(mutex.try_lock());
  }
}

void Scheduler::wait(const void* condition, std::mutex& mutex, Deadline deadline) {
  Task& self = *current_;
  mutex.unlock();
  self.mutex = &mutex;
  self.state = Task::State::kLocking;  // A wait whose time is over.
  if (!deadline || *deadline > now_) {
    self.state = Task::State::kWaiting;
    self.condition = condition;
    self.deadline = deadline;
  }
  hand_over();
  CW_CHECK(mutex.try_lock());
}

std::vector<Scheduler::Task*> Scheduler::waiters_of(const void* condition) {
  std::vector<Task*> waiters;
  for (Task& task : tasks_) {
    if (task.state == Task::State::kWaiting && task.condition == condition) {
      waiters.push_back(&task);
    }
  }
  return waiters;
}

void Scheduler::notify_one(const void* condition) {
  if (const std::vector<Task*> waiters = waiters_of(condition); !waiters.empty()) {
    wake(choose(waiters));
  }
}

void Scheduler::notify_all(const void* condition) {
  for (Task* task : waiters_of(condition)) {
    wake(*task);
  }
}

void Scheduler::wait_while(std::function<bool()> is_busy) {
  if (is_busy()) {
    Task& self = *current_;
    self.is_busy = std::move(is_busy);
    self.state = Task::State::kWatching;
    self.ready_since = turns_;
    hand_over();
  }
}

base::Schedule::Member& Scheduler::announce(std::string name) {
  const std::string group = current_->group;
  Task& task = add_task(group.empty() ? std::move(name) : group + "/" + name);
  task.group = group;
  return task;
}

void Scheduler::withdraw(Member& thread) { static_cast<Task&>(thread).state = Task::State::kEnded; }

void Scheduler::run(Member& thread, const std::function<void()>& body) {
  auto& self = static_cast<Task&>(thread);
  self.turn.acquire();
  enter(this);
  body();
  enter(nullptr);
  self.state = Task::State::kEnded;
  current_ = &next_task();
  current_->turn.release();
}

void Scheduler::await_end(const Member& thread) {
  const auto& task = static_cast<const Task&>(thread);
  wait_while([&task] { return task.state != Task::State::kEnded; });
}

void Scheduler::draw(std::span<uint8_t> out) {
  for (uint8_t& byte : out) {
    byte = static_cast<uint8_t>(current_->random());
  }
}

Scheduler::Undisturbed::Undisturbed(Scheduler& scheduler) : scheduler_(scheduler) {
  ++scheduler_.current_->undisturbed;
}

Scheduler::Undisturbed::~Undisturbed() { --scheduler_.current_->undisturbed; }

Scheduler::InGroup::InGroup(Scheduler& scheduler, const std::string& group)
    : scheduler_(scheduler) {
  scheduler_.current_->group = group;
}

Scheduler::InGroup::~InGroup() { scheduler_.current_->group.clear(); }

}  // namespace chartwright::sim
