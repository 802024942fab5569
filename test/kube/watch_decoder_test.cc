// SPDX-License-Identifier: Apache-2.0
#include "kube/watch_decoder.h"

#include <catch2/catch.hpp>
#include <vector>

namespace chartwright::kube {
namespace {

using base::ErrorCode;
using base::Status;

constexpr std::string_view kTwoEvents = R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})"
                                        "\n"
                                        R"({"type":"DELETED","object":{"metadata":{"name":"b"}}})"
                                        "\n";

struct Watched {
  std::vector<WatchFrame> frames;
  WatchSink sink = [this](WatchFrame frame) {
    frames.push_back(std::move(frame));
    return Status();
  };
  WatchDecoder decoder{{"watch", {{"", "v1", "Pod"}, "", ""}}, sink};
};

TEST_CASE("Frames come out the same wherever the stream is cut") {
  for (size_t piece = 1; piece <= kTwoEvents.size(); ++piece) {
    Watched watched;
    for (size_t at = 0; at < kTwoEvents.size(); at += piece) {
      REQUIRE(watched.decoder.feed(kTwoEvents.substr(at, piece)).ok());
    }
    REQUIRE(watched.decoder.finish().ok());
    REQUIRE(watched.frames.size() == 2);
    CHECK(watched.frames[0].type == WatchFrame::Type::kAdded);
    CHECK(name_of(watched.frames[0].object) == "a");
    CHECK(watched.frames[1].type == WatchFrame::Type::kDeleted);
    CHECK(name_of(watched.frames[1].object) == "b");
  }
}

TEST_CASE("A last frame without a line break counts if it is whole") {
  Watched watched;
  REQUIRE(watched.decoder.feed(kTwoEvents.substr(0, kTwoEvents.size() - 1)).ok());
  CHECK(watched.frames.size() == 1);
  REQUIRE(watched.decoder.finish().ok());
  CHECK(watched.frames.size() == 2);
}

TEST_CASE("A stream that ends inside a frame has failed") {
  Watched watched;
  REQUIRE(watched.decoder.feed(kTwoEvents.substr(0, kTwoEvents.size() - 4)).ok());
  const Status end = watched.decoder.finish();
  REQUIRE_FALSE(end.ok());
  CHECK(end.error().code() == ErrorCode::kUnavailable);
  CHECK(watched.frames.size() == 1);
}

TEST_CASE("An event that is nested too deeply is not taken for a broken stream") {
  Watched watched;
  const Status end = watched.decoder.feed(std::string(10'001, '[') + "\n");
  REQUIRE_FALSE(end.ok());
  CHECK(end.error().code() == ErrorCode::kBudget);
  CHECK(end.error().message().starts_with(
      "watch Pod: the server's answer is too large, or nested deeper than 10000 levels"));
}

TEST_CASE("An ERROR frame ends the stream with its own status") {
  Watched watched;
  const Status end = watched.decoder.feed(
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"old"}})"
      "\n");
  REQUIRE_FALSE(end.ok());
  CHECK(end.error().code() == ErrorCode::kExpired);
  CHECK(watched.frames.empty());
}

TEST_CASE("A line that is not a watch event is refused without being quoted") {
  for (const std::string_view line : {"not json: hunter2\n", "[]\n", "{}\n",
                                      R"({"type":"ADDED"})"
                                      "\n",
                                      R"({"type":"NEWS","object":{}})"
                                      "\n",
                                      R"({"type":"ADDED","object":"hunter2"})"
                                      "\n"}) {
    Watched watched;
    const Status end = watched.decoder.feed(line);
    REQUIRE_FALSE(end.ok());
    CHECK(end.error().code() == ErrorCode::kUnavailable);
    CHECK(end.error().message().find("hunter2") == std::string::npos);
  }
}

TEST_CASE("Blank lines are nothing") {
  Watched watched;
  REQUIRE(watched.decoder.feed("\n \n\r\n").ok());
  REQUIRE(watched.decoder.finish().ok());
  CHECK(watched.frames.empty());
}

TEST_CASE("A frame without end does not fill the memory") {
  Watched watched;
  const std::string piece(WatchDecoder::kMaxFrameBytes / 4, 'x');
  Status end;
  for (int i = 0; i < 5 && end.ok(); ++i) {
    end = watched.decoder.feed(piece);
  }
  REQUIRE_FALSE(end.ok());
  CHECK(end.error().code() == ErrorCode::kBudget);
}

TEST_CASE("An error of the sink ends the stream") {
  const WatchSink refusing = [](const WatchFrame& /*frame*/) -> Status {
    return base::Error(ErrorCode::kTimeout, "enough");
  };
  WatchDecoder decoder({"watch", {{"", "v1", "Pod"}, "", ""}}, refusing);
  const Status end = decoder.feed(kTwoEvents);
  REQUIRE_FALSE(end.ok());
  CHECK(end.error().code() == ErrorCode::kTimeout);
}

}  // namespace
}  // namespace chartwright::kube
