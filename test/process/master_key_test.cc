// SPDX-License-Identifier: Apache-2.0
#include "process/master_key.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/digest.h"
#include "base/thread.h"
#include "model/memory_server.h"
#include "process/key_guard.h"
#include "test/base/lines.h"
#include "test/base/manual_clock.h"
#include "test/bundle/chart_folder.h"
#include "test/value/json_text.h"

namespace chartwright::process {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;
using value::testing::json;

const kube::ObjectRef kRef{{"", "v1", "Secret"}, "system", "chartwright-master-key"};

struct Place {
  model::MemoryServer api;
  base::ManualClock clock;
  base::testing::Lines lines;
  base::Logger log{{}, clock, [this](std::string_view line) { lines.add(line); }};
  std::stop_source stop;
  KeyPlace place{kRef, ""};

  base::Result<std::string> obtain() {
    return obtain_master_key(api, place, clock, log, stop.get_token());
  }
};

bool is_key(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

TEST_CASE("The key is made once, and read from then on") {
  Place place;
  const std::string key = CW_MUST(place.obtain());
  CHECK(is_key(key));
  const Value secret = *place.api.find(kRef);
  CHECK(secret.string_at({"type"}) == kMasterKeyType);
  CHECK(secret.bool_at({"immutable"}));
  CHECK(CW_MUST(base::base64_decode(secret.string_at({"data", "key"}))) == key);
  CHECK(CW_MUST(place.obtain()) == key);
}

TEST_CASE("Of two replicas that start together, the second takes the key of the first") {
  Place place;
  const std::string first(64, 'b');
  place.api.once("create Secret system/chartwright-master-key", [&]() -> std::optional<Error> {
    place.api.put(json(R"({"apiVersion":"v1","kind":"Secret",
      "metadata":{"namespace":"system","name":"chartwright-master-key"},"data":{"key":")" +
                       base::base64_encode(first) + "\"}}"));
    return std::nullopt;
  });
  CHECK(CW_MUST(place.obtain()) == first);
}

TEST_CASE("A server that does not answer is waited for") {
  Place place;
  place.api.fail_once("get Secret system/chartwright-master-key",
                      Error(ErrorCode::kUnavailable, "starting"));
  std::string key;
  {
    const base::Thread waiting("key", base::kDefaultStackBytes,
                               [&] { key = CW_MUST(place.obtain()); });
    place.clock.await_waiters(1);
    place.clock.advance(std::chrono::seconds(1));
  }
  CHECK(is_key(key));
  CHECK(place.lines.mention("cannot be read, waiting"));
}

TEST_CASE("Without the right, the key ends with the process, and the log says so") {
  Place place;
  place.api.fail_always("get Secret system/chartwright-master-key",
                        Error(ErrorCode::kForbidden, "no"));
  const std::string key = CW_MUST(place.obtain());
  CHECK(is_key(key));
  CHECK(CW_MUST(place.obtain()) != key);
  CHECK(place.lines.mention("cannot be kept"));
}

TEST_CASE("A Secret without a key is refused, and not replaced") {
  Place place;
  place.api.put(json(R"({"apiVersion":"v1","kind":"Secret",
    "metadata":{"namespace":"system","name":"chartwright-master-key"},"data":{"key":"c2hvcnQ="}})"));
  const auto key = place.obtain();
  REQUIRE_FALSE(key.ok());
  CHECK(key.error().code() == ErrorCode::kInvalidArgument);
  CHECK(key.error().message().find("system/chartwright-master-key has no key") !=
        std::string::npos);
}

TEST_CASE("Without a Secret, the key is a file that only the user can read") {
  Place place;
  const bundle::testing::Folder folder({});
  place.place = {{}, folder.path()};
  const std::string key = CW_MUST(place.obtain());
  CHECK(CW_MUST(place.obtain()) == key);
  const std::filesystem::path path = folder.path() + "/master-key";
  CHECK(std::filesystem::status(path).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  CHECK(place.api.whats().empty());
}

TEST_CASE("A file without a key is refused, and a folder that is missing is not") {
  Place place;
  const bundle::testing::Folder folder(bundle::testing::Files{{"master-key", "short\n"}});
  place.place = {{}, folder.path()};
  CHECK(place.obtain().error().code() == ErrorCode::kInvalidArgument);
  place.place.folder = folder.path() + "/none";
  CHECK(is_key(CW_MUST(place.obtain())));
  CHECK(place.lines.mention("cannot be kept"));
}

struct Guarded {
  model::MemoryServer api;
  KeyGuard guard{api, kRef};

  void put(std::string_view name, std::string_view type) {
    Value secret = json(R"({"apiVersion":"v1","kind":"Secret","data":{}})");
    secret.mutable_dict().set("metadata", Value::dict({{"namespace", Value::string("system")},
                                                       {"name", Value::string(name)}}));
    secret.mutable_dict().set("type", Value::string(type));
    api.put(secret);
  }
};

TEST_CASE("No call for a chart reaches the key, by name or by type") {
  Guarded guarded;
  guarded.put("chartwright-master-key", kMasterKeyType);
  guarded.put("of-another-operator", kMasterKeyType);
  guarded.put("harmless", "Opaque");
  const kube::Call call;
  const auto code = [](const auto& result) { return result.error().code(); };
  CHECK(code(guarded.guard.get(kRef, call)) == ErrorCode::kForbidden);
  const kube::ObjectRef other{kRef.gvk, "system", "of-another-operator"};
  CHECK(code(guarded.guard.get(other, call)) == ErrorCode::kForbidden);
  CHECK(guarded.guard.get({kRef.gvk, "system", "harmless"}, call).ok());
  kube::ListOptions options;
  options.selection.ns = "system";
  const auto page = CW_MUST(guarded.guard.list(kRef.gvk, options, call));
  REQUIRE(page.items.size() == 1);
  CHECK(kube::name_of(page.items.front()) == "harmless");
}

TEST_CASE("No write for a chart changes or removes the key") {
  Guarded guarded;
  guarded.put("chartwright-master-key", kMasterKeyType);
  const Value before = *guarded.api.find(kRef);
  const kube::Call call;
  const auto code = [](const auto& result) { return result.error().code(); };
  CHECK(code(guarded.guard.apply(before, {}, call)) == ErrorCode::kForbidden);
  CHECK(code(guarded.guard.create(before, {}, call)) == ErrorCode::kForbidden);
  CHECK(code(guarded.guard.update(before, {}, call)) == ErrorCode::kForbidden);
  CHECK(code(guarded.guard.patch(kRef, {}, {}, call)) == ErrorCode::kForbidden);
  CHECK(code(guarded.guard.remove(kRef, {}, call)) == ErrorCode::kForbidden);
  CHECK(guarded.api.calls().empty());
}

}  // namespace
}  // namespace chartwright::process
