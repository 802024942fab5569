// SPDX-License-Identifier: Apache-2.0
#include "apiserver/watch_stream.h"

#include <catch2/catch.hpp>

#include "base/memory_limit.h"
#include "kube/object.h"
#include "test/views/parts.h"

namespace chartwright::apiserver {
namespace {

using Type = runtime::WatchEvent::Type;

using views::config_map;
using views::Paints;

std::unique_ptr<WatchStream> watch(Paints& paints, const std::string& version,
                                   const std::string& labels = "") {
  WatchQuery query;
  query.bookmarks = true;
  query.selection.labels = CW_MUST(kube::LabelSelector::parse(labels));
  auto stream =
      std::make_unique<WatchStream>(paints.view, paints.feed, paints.clock, query, Rendition());
  const base::Status begun = stream->begin_after(version);
  return begun.ok() ? std::move(stream) : nullptr;
}

/// Returns "TYPE name version" for each event that is there.
std::string events_of(WatchStream& stream) {
  const std::string text = stream.next().value_or("end");
  std::string events;
  for (const std::string_view line : base::split(text, '\n')) {
    if (line.empty() || line == "end") {
      events += line;
      continue;
    }
    const auto event = CW_MUST(value::parse_json(line, value::Numbers::kInt64));
    const value::Value& object = *event.find("object");
    events += std::string(event.string_at({"type"})) + " " + std::string(kube::name_of(object)) +
              " " + std::string(kube::resource_version_of(object)) + "\n";
  }
  return events;
}

}  // namespace

TEST_CASE("A watch sees what happens after its version, once") {
  Paints paints;
  paints.list({config_map("sky", "5", R"({"colour":"blue"})")}, "10");
  paints.put("sea", "11", R"({"colour":"green"})");
  const auto stream = watch(paints, "10");
  paints.put("sky", "12", R"({"colour":"red"})");
  paints.feed.apply({Type::kDelete, config_map("sea", "13", R"({"colour":"green"})"), {}});
  paints.feed.apply({Type::kProgress, {}, "20"});
  CHECK(events_of(*stream) == "ADDED sea 11\nMODIFIED sky 12\nDELETED sea 13\nBOOKMARK  20\n");
  CHECK(events_of(*stream).empty());
  // Objects that the client has already listed is not repeated, however far the feed is behind.
  const auto ahead = watch(paints, "25");
  paints.put("sea", "24", R"({"colour":"green"})");
  paints.put("sea", "26", R"({"colour":"grey"})");
  CHECK(events_of(*ahead) == "MODIFIED sea 26\n");
}

TEST_CASE("An object that is hidden, renamed or not selected comes and goes") {
  Paints paints;
  paints.list({config_map("sky", "5", R"({"colour":"blue"})")}, "10");
  const auto all = watch(paints, "10");
  const auto sea = watch(paints, "10", "of=sea");
  paints.put("sky", "11", R"({"hidden":"yes"})");
  paints.put("sky", "12", R"({"colour":"red"})");
  paints.put("sky", "13", R"({"colour":"red","name":"dawn"})");
  CHECK(events_of(*all) == "DELETED sky 11\nADDED sky 12\nDELETED sky 13\nADDED dawn 13\n");
  CHECK(events_of(*sea).empty());
}

TEST_CASE("A version that is too old, and a new list, end a watch with 410") {
  Paints paints;
  CHECK(watch(paints, "1") == nullptr);
  paints.list({}, "10");
  CHECK(watch(paints, "9") == nullptr);
  const auto stream = watch(paints, "10");
  paints.list({config_map("sky", "15", R"({"colour":"blue"})")}, "20");
  CHECK(stream->next()->find("\"code\":410") != std::string::npos);
  CHECK_FALSE(stream->next());
}

TEST_CASE("A watch that falls too far behind ends with 410") {
  Paints paints;
  paints.list({}, "10");
  const auto stream = watch(paints, "10");
  for (int i = 11; i < 3000; ++i) {
    paints.feed.apply({Type::kProgress, {}, std::to_string(i)});
  }
  CHECK(stream->next()->find("\"code\":410") != std::string::npos);
  CHECK(watch(paints, "11") == nullptr);
  CHECK(watch(paints, "2990") != nullptr);
}

TEST_CASE("A source that cannot be shown ends a watch with 500") {
  Paints paints;
  paints.list({}, "10");
  const auto stream = watch(paints, "10");
  paints.put("sky", "11", "{}");
  CHECK(stream->next()->find("\"code\":500") != std::string::npos);
}

TEST_CASE("The objects that a watch begins with never exist as one text") {
  Paints paints;
  paints.list({config_map("sky", "5", R"({"colour":"blue"})")}, "10");
  views::ObjectPage page = {std::vector(10000, CW_MUST(paints.feed.snapshot("a")).objects.front()),
                            "10", ""};
  WatchQuery query;
  query.bookmarks = true;
  query.initial = true;
  WatchStream stream(paints.view, paints.feed, paints.clock, query, Rendition());
  size_t bytes = 0;
  std::string last;
  const base::MemoryLimit limit(size_t{1} << 20);
  stream.begin_with(std::move(page));
  REQUIRE(stream.begin_after("10").ok());
  for (std::string piece = *stream.next(); !piece.empty(); piece = *stream.next()) {
    bytes += piece.size();
    last = std::move(piece);
  }
  CHECK(bytes > (size_t{2} << 20));
  CHECK(last.find("k8s.io/initial-events-end") != std::string::npos);
}

}  // namespace chartwright::apiserver
