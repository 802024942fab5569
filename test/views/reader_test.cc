// SPDX-License-Identifier: Apache-2.0
#include "views/reader.h"

#include <catch2/catch.hpp>

#include "base/memory_limit.h"
#include "kube/object.h"
#include "test/fakeapi/refusing_client.h"
#include "test/views/parts.h"

namespace chartwright::views {
namespace {

Work some_work(const base::Clock& clock, std::stop_token stop = {}) {
  return {clock, {.stop = std::move(stop)}, std::chrono::seconds(2)};
}

constexpr size_t kRequestBytes = size_t{8} << 20;  // That of a process with 128 MiB.

/// An API server that lists sources page by page.
class Sources final : public fakeapi::RefusingClient {
 public:
  /// Makes `count` sources in namespace "a".
  explicit Sources(size_t number, std::string data = R"({"colour":"blue"})")
      : count(number), data_(std::move(data)) {}

  value::Value source(size_t number) const {
    return config_map("paint-" + std::to_string(number), "5", data_);
  }
  base::Result<kube::ListPage> list(const kube::Gvk& /*gvk*/, const kube::ListOptions& options,
                                    const kube::Call& /*call*/) override {
    asked.push_back(options.selection.field_selector);
    kube::ListPage page;
    page.resource_version = "10";
    size_t at = static_cast<size_t>(base::parse_int(options.continue_token).value_or(0));
    for (; at < count && page.items.size() < static_cast<size_t>(options.limit); ++at) {
      value::Value one = source(at);
      const std::string selector = "metadata.name=" + std::string(kube::name_of(one));
      if (options.selection.field_selector.empty() ||
          options.selection.field_selector == selector) {
        page.items.push_back(std::move(one));
      }
    }
    page.continue_token = at < count ? std::to_string(at) : "";
    return page;
  }

  size_t count;
  std::vector<std::string> asked;  ///< The field selector of each list.

 private:
  const std::string data_;
};

/// A view of sources that its feed has seen.
struct Gallery {
  explicit Gallery(size_t count) : sources(count) {
    std::vector<value::Value> all;
    for (size_t i = 0; i < count; ++i) {
      all.push_back(sources.source(i));
    }
    paints.list(all, "10");
  }
  std::string get(const std::string& name) const {
    const auto found = reader.get("a", name, work);
    return found.ok() ? std::string(kube::name_of(found->object))
                      : std::to_string(found.error().http_status());
  }

  Sources sources;
  Paints paints;
  Reader reader{paints.projector, paints.feed, &sources};
  mutable Work work = some_work(paints.clock);
};

}  // namespace

TEST_CASE("A get of a name that a large view does not have costs one request") {
  Gallery gallery(2000);
  CHECK(gallery.get("paint-2000") == "404");
  CHECK(gallery.sources.asked == std::vector<std::string>{"metadata.name=paint-2000"});
  // No source can have that name.
  CHECK(gallery.get("Paint") == "404");
  CHECK(gallery.sources.asked.size() == 1);
}

TEST_CASE("A get finds an object that the feed does not know yet") {
  Gallery gallery(2000);
  gallery.sources.count = 2001;
  CHECK(gallery.get("paint-2000") == "paint-2000");
}

TEST_CASE("A get looks through all sources if names follow no one rule, or few follow it") {
  Gallery few(3);
  CHECK(few.get("red") == "404");
  CHECK(few.sources.asked == std::vector<std::string>{""});
  Gallery mixed(2000);
  mixed.paints.put("paint-7", "11", R"({"colour":"red","name":"dawn"})");
  CHECK(mixed.get("red") == "404");
  CHECK(mixed.sources.asked == std::vector<std::string>(4, ""));
}

TEST_CASE("A list of many small objects fits in the memory of one request", "[large]") {
  Gallery gallery(10000);
  const auto page =
      base::within_memory(kRequestBytes, [&] { return gallery.reader.list({}, gallery.work); });
  REQUIRE(page.ok());
  CHECK(page->items.size() == 10000);
  CHECK(page->resource_version == "10");
}

TEST_CASE("Large sources are listed in smaller pages", "[large]") {
  // 500 of them are 20 MB.
  Sources sources(500, R"({"colour":"blue","text":")" + std::string(40000, 'x') + "\"}");
  Paints paints;
  const Reader reader(paints.projector, paints.feed, &sources);
  Work work = some_work(paints.clock);
  const auto page = base::within_memory(kRequestBytes, [&] { return reader.list({}, work); });
  REQUIRE(page.ok());
  CHECK(page->items.size() == 500);
}

TEST_CASE("An object of a list is that of the feed, if it is of the same version") {
  Gallery gallery(3);
  gallery.paints.put("paint-1", "11", R"({"colour":"red"})");
  const auto page = gallery.reader.list({}, gallery.work);
  REQUIRE(page.ok());
  const auto shown = CW_MUST(gallery.paints.feed.snapshot("a")).objects;
  CHECK(page->items[0] == shown[0]);
  CHECK(page->items[1] != shown[1]);
  CHECK(page->items[1]->string_at({"spec", "colour"}) == "blue");
}

TEST_CASE("A list ends with its client") {
  Gallery gallery(1000);
  std::stop_source gone;
  Work work = some_work(gallery.paints.clock, gone.get_token());
  gone.request_stop();
  const auto page = gallery.reader.list({}, work);
  REQUIRE_FALSE(page.ok());
  CHECK(page.error().code() == base::ErrorCode::kCancelled);
  CHECK(gallery.sources.asked.size() == 1);
}

TEST_CASE("A list takes no more than its time") {
  Gallery gallery(1);
  gallery.paints.clock.work(std::chrono::seconds(2));
  CHECK(gallery.reader.list({}, gallery.work).ok());
  gallery.paints.clock.work(std::chrono::milliseconds(1));
  const auto page = gallery.reader.list({}, gallery.work);
  REQUIRE_FALSE(page.ok());
  CHECK(page.error().message() == "more than 2s of CPU time");
}

}  // namespace chartwright::views
