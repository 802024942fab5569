// SPDX-License-Identifier: Apache-2.0
//
// Looks for plans that violate an oracle, or replays one, or compares the server in memory with a
// real one. See README.md.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "test/sim/agreement.h"
#include "test/sim/campaign.h"
#include "test/sim/subject.h"

namespace chartwright::sim {
namespace {

constexpr int kUsageError = 2;
constexpr size_t kLastRows = 30;
constexpr std::string_view kUsage =
    "usage: sim [--seconds N] [--seed N] [--subject NAME] [--share I/N]\n"
    "       sim --replay FILE [--journal]\n"
    "       sim --compare KUBECONFIG --namespace NAME [--seed N] [--count N]\n";

struct Options {
  int64_t seconds = 60;
  uint64_t seed = 1;
  /// Of what is tried systematically, each `shares`-th is tried, from `share` on.
  size_t share = 0;
  size_t shares = 1;
  std::string subject;
  std::string replay;
  bool journal = false;
  std::string compare;  ///< The path of a kubeconfig.
  std::string ns;
  int64_t count = 100;  ///< Sequences of requests.
};

bool parse_share(std::string_view text, Options& options) {
  const std::vector<std::string_view> parts = base::split(text, '/');
  const auto share = base::parse_int(parts.front());
  const auto shares = base::parse_int(parts.back());
  if (parts.size() != 2 || !share || !shares || *share < 0 || *share >= *shares) {
    return false;
  }
  options.share = static_cast<size_t>(*share);
  options.shares = static_cast<size_t>(*shares);
  return true;
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  const std::map<std::string, std::string*> texts = {{"--subject", &options.subject},
                                                     {"--replay", &options.replay},
                                                     {"--compare", &options.compare},
                                                     {"--namespace", &options.ns}};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--journal") {
      options.journal = true;
      continue;
    }
    if (++i == argc) {
      return std::nullopt;
    }
    const auto number = base::parse_int(argv[i]);
    if (const auto text = texts.find(name); text != texts.end()) {
      *text->second = argv[i];
    } else if (name == "--seconds" && number) {
      options.seconds = *number;
    } else if (name == "--count" && number) {
      options.count = *number;
    } else if (name == "--seed" && number) {
      options.seed = static_cast<uint64_t>(*number);
    } else if (name != "--share" || !parse_share(argv[i], options)) {
      return std::nullopt;
    }
  }
  return options;
}

void print_end(const Journal& journal) {
  const size_t skipped = journal.size() - std::min(journal.size(), kLastRows);
  std::cout << to_text(Journal(journal.begin() + static_cast<ptrdiff_t>(skipped), journal.end()));
}

int replay(const Options& options) {
  std::ifstream file(options.replay);
  if (!file) {
    std::cerr << options.replay << ": cannot be read\n";
    return kUsageError;
  }
  std::stringstream text;
  text << file.rdbuf();
  const auto plan = parse_plan(text.str());
  auto campaign = plan.ok() ? Campaign::begin(plan->subject) : base::Result<Campaign>(plan.error());
  auto record = campaign.ok() ? run(*plan) : base::Result<Record>(campaign.error());
  if (!record.ok()) {
    std::cerr << options.replay << ": " << record.error().to_string() << "\n";
    return kUsageError;
  }
  if (options.journal) {
    std::cout << to_text(record->journal);
  }
  for (const Incident& missed : record->missed) {
    std::cout << "never came: " << to_text(missed) << "\n";
  }
  const auto violation = campaign->try_plan(*plan);
  std::cout << (violation ? violation->oracle + ": " + violation->what : "pass") << "\n";
  return (violation ? violation->oracle : "pass") == plan->expect ? 0 : 1;
}

/// Tries plans about all subjects until the time is over.
class Search {
 public:
  explicit Search(const Options& options)
      : options_(options),
        end_(std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds)) {}

  int look() {
    for (const Subject& subject : subjects()) {
      if (!options_.subject.empty() && options_.subject != subject.name) {
        continue;
      }
      auto campaign = Campaign::begin(subject.name);
      if (!campaign.ok()) {
        std::cerr << campaign.error().to_string() << "\n";
        return 1;
      }
      campaigns_.push_back(*std::move(campaign));
    }
    if (campaigns_.empty()) {
      std::cerr << "there is no subject \"" << options_.subject << "\"\n";
      return kUsageError;
    }
    const auto began = std::chrono::steady_clock::now();
    try_singles();
    try_pairs_and_random();
    report(std::chrono::steady_clock::now() - began);
    return failures_ == 0 ? 0 : 1;
  }

 private:
  bool is_over() const { return std::chrono::steady_clock::now() >= end_; }

  void attempt(Campaign& campaign, const Plan& plan) {
    const auto violation = campaign.try_plan(plan);
    if (!violation || !told_.emplace(plan.subject, violation->oracle).second) {
      return;
    }
    ++failures_;
    const Failure failure = campaign.shrink(plan, *violation);
    std::cout << "FAILED: " << failure.violation.oracle << ": " << failure.violation.what << "\n"
              << to_text(failure.plan);
    print_end(CW_MUST(run(failure.plan)).journal);
    std::cout << std::flush;
  }

  void try_singles() {
    for (Campaign& campaign : campaigns_) {
      const std::vector<Plan> singles = campaign.singles();
      for (size_t i = options_.share; i < singles.size() && !is_over(); i += options_.shares) {
        ++singles_;
        attempt(campaign, singles[i]);
      }
    }
  }

  // By turns: the pairs of one single, and as many random plans.
  void try_pairs_and_random() {
    std::mt19937_64 random(options_.seed);
    while (!is_over()) {
      Campaign& campaign = campaigns_[random() % campaigns_.size()];
      const std::vector<Plan> singles = campaign.singles();
      const std::vector<Plan> pairs = campaign.pairs(singles[random() % singles.size()]);
      for (const Plan& plan : pairs) {
        if (is_over()) {
          return;
        }
        ++pairs_;
        attempt(campaign, plan);
        ++random_;
        attempt(campaign, campaign.random(random()));
      }
    }
  }

  void report(std::chrono::steady_clock::duration took) const {
    Tally all;
    size_t different = 0;
    for (const Campaign& campaign : campaigns_) {
      all.runs += campaign.tally().runs;
      all.choices += campaign.tally().choices;
      all.without_effect += campaign.tally().without_effect;
      different += campaign.tally().digests.size();
    }
    const double minutes = std::chrono::duration<double, std::ratio<60>>(took).count();
    std::printf(
        "%llu runs (%zu singles, %zu pairs, %zu random), %.0f a minute, %llu choices each\n",
        static_cast<unsigned long long>(all.runs), singles_, pairs_, random_,
        static_cast<double>(all.runs) / minutes,
        static_cast<unsigned long long>(all.choices / std::max<uint64_t>(all.runs, 1)));
    std::printf("%zu of them differ; in %llu, no incident came\n", different,
                static_cast<unsigned long long>(all.without_effect));
    std::printf("%zu failed\n", failures_);
  }

  const Options options_;
  const std::chrono::steady_clock::time_point end_;
  std::vector<Campaign> campaigns_;
  std::set<std::pair<std::string, std::string>> told_;  ///< Subject and oracle.
  size_t singles_ = 0;
  size_t pairs_ = 0;
  size_t random_ = 0;
  size_t failures_ = 0;
};

int compare(const Options& options) {
  const auto different =
      compare_with(options.compare, options.ns, options.seed, static_cast<int>(options.count));
  if (!different.ok()) {
    std::cerr << different.error().to_string() << "\n";
    return kUsageError;
  }
  return *different == 0 ? 0 : 1;
}

int main_of(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (!options) {
    std::cerr << kUsage;
    return kUsageError;
  }
  if (!options->compare.empty()) {
    return compare(*options);
  }
  return options->replay.empty() ? Search(*options).look() : replay(*options);
}

}  // namespace
}  // namespace chartwright::sim

int main(int argc, char** argv) { return chartwright::sim::main_of(argc, argv); }
