// SPDX-License-Identifier: Apache-2.0
#include "apiserver/list_stream.h"

#include <catch2/catch.hpp>

#include "base/memory_limit.h"
#include "test/views/parts.h"

namespace chartwright::apiserver {
namespace {

using views::config_map;
using views::Paints;

views::ObjectPage page_of(const Paints& paints, int count) {
  views::ObjectPage page;
  page.resource_version = "10";
  for (int i = 0; i < count; ++i) {
    page.items.push_back(std::make_shared<const value::Value>(CW_MUST(paints.projector.project(
        config_map("paint-" + std::to_string(i), "5", R"({"colour":"blue"})")))));
  }
  return page;
}

std::string text_of(runtime::HttpReply reply) {
  while (reply.stream != nullptr) {
    const auto piece = reply.stream->next();
    if (!piece) {
      break;
    }
    reply.body += *piece;
  }
  return reply.body;
}

}  // namespace

TEST_CASE("A list is one document, whether it is short, long or empty") {
  const Paints paints;
  for (const int count : {0, 1, 1200}) {
    auto reply = list_reply(paints.view, page_of(paints, count), Rendition(), {});
    CHECK((reply.stream != nullptr) == (count > 500));
    const auto list = CW_MUST(value::parse_json(text_of(std::move(reply)), value::Numbers::kInt64));
    CHECK(list.string_at({"kind"}) == "PaintList");
    CHECK(list.string_at({"metadata", "resourceVersion"}) == "10");
    CHECK(list.find("items")->as_list().items.size() == static_cast<size_t>(count));
  }
}

TEST_CASE("A list is a table if asked") {
  const Paints paints;
  Rendition rendition;
  rendition.accepted = {Form::kTable, "v1"};
  const auto list = CW_MUST(value::parse_json(
      text_of(list_reply(paints.view, page_of(paints, 2), rendition, {})), value::Numbers::kInt64));
  CHECK(list.string_at({"kind"}) == "Table");
  CHECK(list.find("columnDefinitions")->as_list().items.size() == 2);
  CHECK(list.find("rows")->as_list().items.size() == 2);
}

TEST_CASE("A long list never exists as one text", "[large]") {
  const Paints paints;
  auto reply = list_reply(paints.view, page_of(paints, 10000), Rendition(), {});
  size_t bytes = 0;
  const base::MemoryLimit limit(size_t{1} << 20);
  while (const auto piece = reply.stream->next()) {
    bytes += piece->size();
  }
  CHECK(bytes > (size_t{2} << 20));
}

}  // namespace chartwright::apiserver
