// SPDX-License-Identifier: Apache-2.0
#include "console/live_words.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/thread.h"
#include "console/connection.h"
#include "console/wanted.h"
#include "kubeconfig/config.h"
#include "runtime/pause.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using kube::ResourceMapping;
using value::Value;
using Live = Takes::Live;
using Words = std::vector<Candidate>;

constexpr base::Duration kTimeMax = std::chrono::seconds(2);
constexpr size_t kAnswerBytesMax = size_t{16} << 20;
constexpr size_t kWordBytesMax = 512;
constexpr std::string_view kMetadataList =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// Reports whether a shell takes the word for what it is, wherever it stands.
bool is_plain(std::string_view word) {
  const auto is_one = [](char c) {
    return base::is_ascii_word(c) || std::string_view("-.:/@").find(c) != std::string_view::npos;
  };
  return !word.empty() && word.size() <= kWordBytesMax &&
         base::is_ascii_alphanumeric(word.front()) && std::ranges::all_of(word, is_one);
}

/// The flags of a cluster among those of any command.
class TypedPlace final : public Command {
 public:
  std::string_view name() const override { return "place"; }
  std::string_view summary() const override { return ""; }
  void declare(FlagSet& flags) override { declare_place_flags(flags, place_); }
  base::Result<int> run(Streams& /*streams*/) override { return kExitOk; }
  const PlaceFlags& place() const { return place_; }

 private:
  PlaceFlags place_;
};

/// Reads the flags that a cluster has, and leaves out the others.
base::Result<PlaceFlags> place_of(const std::vector<std::string>& flags) {
  TypedPlace declaring;
  std::vector<std::string> known;
  for (const DeclaredFlag& flag : declarations(declaring).flags) {
    known.push_back(flag.names.front());
  }
  std::vector<std::string> own;
  std::ranges::copy_if(flags, std::back_inserter(own), [&known](const std::string& flag) {
    const std::string name = flag.substr(0, flag.find('='));
    return name != "--help" && std::ranges::find(known, name) != known.end();
  });
  TypedPlace place;
  Streams silent{[](std::string_view) {}, [](std::string_view) {},
                 []() -> base::Result<std::string> { return std::string(); }};
  if (run_command({"", place}, own, silent) != kExitOk) {
    return Error(ErrorCode::kInvalidArgument, "a flag cannot be read");
  }
  return place.place();
}

/// Requests a stop when time is over, also of a program for credentials.
class Deadline {
 public:
  Deadline()
      : thread_("deadline", base::kDefaultStackBytes, [this] {
          runtime::pause(clock_, kTimeMax, ended_.get_token());
          stop_.request_stop();
        }) {}
  ~Deadline() {
    ended_.request_stop();
    thread_.join();
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  kube::Call call() const { return {.stop = stop_.get_token(), .timeout = kTimeMax}; }

 private:
  base::SystemClock clock_;
  std::stop_source ended_;
  std::stop_source stop_;
  base::Thread thread_;
};

/// Asks for an object or a list, by one request.
base::Result<Value> ask(Connection& connection, std::string target, std::string_view accept) {
  kube::Request request;
  request.target = std::move(target);
  request.accept = accept;
  request.max_response_bytes = kAnswerBytesMax;
  CW_TRY(const kube::Response response,
         connection.transport().perform(std::move(request), connection.call()));
  if (response.status != 200) {
    return Error(ErrorCode::kUnavailable, "the server has refused the request");
  }
  return value::parse_json(response.body, value::Numbers::kInt64);
}

/// Returns the names of the objects in a collection, each after `front`.
base::Result<Words> names_in(Connection& connection, const std::string& collection,
                             const std::string& front) {
  CW_TRY(const Value list,
         ask(connection, collection + "?limit=" + std::to_string(kLiveWordsMax), kMetadataList));
  Words words;
  for (const Value& item : list.items_at({"items"})) {
    const std::string name(item.string_at({"metadata", "name"}));
    if (is_plain(name)) {
      words.push_back({front + name, ""});
    }
  }
  return words;
}

/// Returns the kinds of the category, by their plurals; with the group where two have the same.
Words kind_words(const std::vector<ServedKind>& served) {
  Words words;
  for (const ServedKind& kind : served) {
    if (std::ranges::find(kind.categories, kCategory) == kind.categories.end()) {
      continue;
    }
    const auto has_name = [&kind](const ServedKind& other) {
      return other.mapping.plural == kind.mapping.plural;
    };
    const bool is_only = std::ranges::count_if(served, has_name) == 1;
    words.push_back({kind.mapping.plural + (is_only ? "" : "." + kind.mapping.gvk.group),
                     kind.mapping.gvk.kind});
  }
  return words;
}

base::Result<Words> names_of_kind(Connection& connection, const std::vector<ServedKind>& served,
                                  const std::string& kind, const std::string& front) {
  CW_TRY(const auto kinds, select_kinds(served, kind));
  if (kinds.size() != 1 || !check_namespace(kinds.front(), connection.ns()).ok()) {
    return Words();
  }
  const std::string ns = request_namespace(kinds.front(), connection.ns());
  return names_in(connection, kinds.front().mapping.path(ns, ""), front);
}

/// Returns kinds, "KIND/NAME", or the names that may follow a kind.
base::Result<Words> custom_resources(Connection& connection, const LiveQuestion& question) {
  CW_TRY(const auto served, served_kinds(connection.transport(), connection.call()));
  const size_t slash = question.typed.find('/');
  if (slash != std::string::npos) {
    return names_of_kind(connection, served, question.typed.substr(0, slash),
                         question.typed.substr(0, slash + 1));
  }
  const std::vector<std::string>& before = question.arguments;
  if (before.empty() || before.front().find('/') != std::string::npos) {
    return kind_words(served);
  }
  CW_TRY(Words words, names_of_kind(connection, served, before.front(), ""));
  std::erase_if(words, [&before](const Candidate& one) {
    return std::find(before.begin() + 1, before.end(), one.word) != before.end();
  });
  return words;
}

/// Returns the custom resource that the arguments name; null if they do not name one.
base::Result<Value> named_resource(Connection& connection, const LiveQuestion& question) {
  CW_TRY(const auto served, served_kinds(connection.transport(), connection.call()));
  CW_TRY(const auto wanted, wanted_of(served, question.arguments));
  if (wanted.size() != 1 || wanted.front().names.size() != 1 ||
      !check_namespace(wanted.front().kind, connection.ns()).ok()) {
    return Value();
  }
  const ServedKind& kind = wanted.front().kind;
  const std::string path =
      kind.mapping.path(request_namespace(kind, connection.ns()), wanted.front().names.front());
  return ask(connection, path, "application/json");
}

/// Returns the charts of the revisions in a status, the newest first.
std::map<int64_t, std::string, std::greater<>> charts_of_revisions(const Value& cr) {
  std::map<int64_t, std::string, std::greater<>> charts;
  for (const Value& item : cr.items_at({"status", "history"})) {
    if (const Value* number = item.find("revision"); number != nullptr && number->is_int()) {
      charts[number->as_int()] = item.string_at({"chart"});
    }
  }
  return charts;
}

/// Returns the revisions of the custom resource that the arguments name, the newest first.
base::Result<Words> revision_words(Connection& connection, const LiveQuestion& question) {
  CW_TRY(const Value cr, named_resource(connection, question));
  if (cr.is_nil()) {
    return Words();
  }
  Words words;
  for (const auto& [number, chart] : charts_of_revisions(cr)) {
    words.push_back({std::to_string(number), chart});
  }
  words.push_back({"previous", "the revision before the one in force"});
  return words;
}

/// Returns the newest revision of the custom resource that the arguments name, and the next one.
/// To wait for an older one is of no use.
base::Result<Words> awaited_words(Connection& connection, const LiveQuestion& question) {
  CW_TRY(const Value cr, named_resource(connection, question));
  if (cr.is_nil()) {
    return Words();
  }
  const auto charts = charts_of_revisions(cr);
  if (charts.empty()) {
    return Words{{"1", "the first revision"}};
  }
  const auto& [newest, chart] = *charts.begin();
  Words words{{std::to_string(newest), chart}};
  if (newest < std::numeric_limits<int64_t>::max()) {
    words.push_back({std::to_string(newest + 1), "the next revision"});
  }
  return words;
}

base::Result<Words> context_words(const PlaceFlags& place) {
  CW_TRY(const auto names,
         kube::context_names({place.cluster.kubeconfig, ""}, kube::ConfigEnv::from_process()));
  Words words;
  for (const std::string& name : names) {
    words.push_back({name, ""});
  }
  return words;
}

base::Result<Words> words_for(const LiveQuestion& question) {
  CW_TRY(const PlaceFlags place, place_of(question.flags));
  if (question.wanted == Live::kContexts) {
    return context_words(place);
  }
  const Deadline deadline;
  CW_TRY(const auto connection, Connection::open(place, deadline.call()));
  switch (question.wanted) {
    case Live::kNamespaces:
      return names_in(*connection,
                      ResourceMapping{{"", "v1", "Namespace"}, "namespaces"}.path("", ""), "");
    case Live::kCustomResources:
      return custom_resources(*connection, question);
    case Live::kRevisions:
      return revision_words(*connection, question);
    case Live::kAwaitedRevisions:
      return awaited_words(*connection, question);
    case Live::kContexts:
    case Live::kNone:
      break;
  }
  return Words();
}

}  // namespace

std::vector<Candidate> live_words(const LiveQuestion& question) {
  auto found = words_for(question);
  if (!found.ok()) {
    return {};
  }
  Words words;
  for (Candidate& one : *found) {
    if (is_plain(one.word) && words.size() < kLiveWordsMax) {
      const bool is_ours = is_plain(base::replace_all(one.help, " ", "-"));
      words.push_back({std::move(one.word), is_ours ? std::move(one.help) : ""});
    }
  }
  return words;
}

}  // namespace chartwright::cmd
