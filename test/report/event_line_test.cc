// SPDX-License-Identifier: Apache-2.0
#include "report/event_line.h"

#include <catch2/catch.hpp>

#include "report/table.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

EventLine line(const std::string& json) {
  return event_line_of(*value::parse_json(json, value::Numbers::kInt64));
}

const std::string kBackOff = R"({"involvedObject":{"apiVersion":"v1","kind":"Pod",
    "namespace":"team","name":"web-1-x","uid":"u"},"type":"Warning","reason":"BackOff",
    "message":"Back-off restarting\nfailed container","count":4,
    "firstTimestamp":"2026-11-29T14:40:00Z","lastTimestamp":"2026-11-29T14:47:31Z",
    "source":{"component":"kubelet"}})";

}  // namespace

TEST_CASE("An Event is a row with its time and how often it was seen") {
  Table table(event_header(false));
  table.add(event_row(line(kBackOff), false));
  CHECK(table.text() ==
        "TIME                   TYPE      REASON         OBJECT        MESSAGE\n"
        "2026-11-29T14:47:31Z   Warning   BackOff (x4)   Pod/web-1-x   "
        "Back-off restarting\\nfailed container\n");
  Table wide(event_header(true));
  wide.add(event_row(line(kBackOff), true));
  CHECK(wide.text().find("Pod/web-1-x   team        kubelet   Back-off") != std::string::npos);
}

TEST_CASE("A series has its own time and number") {
  const EventLine found = line(
      R"({"eventTime":"2026-11-29T14:40:00.123456Z","reportingComponent":"scheduler",
          "series":{"count":7,"lastObservedTime":"2026-11-29T14:47:31.654321Z"}})");
  CHECK((found.time == "2026-11-29T14:47:31Z" && found.first_time == "2026-11-29T14:40:00Z"));
  CHECK((found.count == 7 && found.source == "scheduler"));
}

TEST_CASE("An Event in JSON has every member") {
  CHECK(*value::to_json(to_value(line(kBackOff)), value::JsonEscape::kNone) ==
        R"({"count":4,"firstTime":"2026-11-29T14:40:00Z",)"
        R"("message":"Back-off restarting\\nfailed container","object":{"apiVersion":"v1",)"
        R"("kind":"Pod","name":"web-1-x","namespace":"team"},"reason":"BackOff",)"
        R"("source":"kubelet","time":"2026-11-29T14:47:31Z","type":"Warning"})");
}

TEST_CASE("An Event of any shape is one short line") {
  for (const char* json : {"null", "{}", R"({"involvedObject":7,"count":"x","series":[]})"}) {
    const EventLine found = line(json);
    CHECK((found.count == 1 && found.time.empty()));
  }
  const EventLine hostile = line(R"({"lastTimestamp":"\u001b[31m..................Z","message":")" +
                                 std::string(9000, 'x') + R"(","reason":"a\nb"})");
  CHECK(hostile.time.find('\x1b') == std::string::npos);
  CHECK(hostile.message.size() == 1024);
  CHECK(hostile.reason == "a\\nb");
}

}  // namespace chartwright::cmd
