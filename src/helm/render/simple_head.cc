// SPDX-License-Identifier: Apache-2.0
#include "helm/render/simple_head.h"

#include <array>

#include "helm/chart/go_struct.h"
#include "yaml/yaml.h"

namespace chartwright::helm {

using value::Value;

const std::string* Head::annotation(std::string_view key) const {
  const Value* found = annotations.find(key);
  return found != nullptr ? &found->as_string() : nullptr;
}

base::Result<Head> parse_head(std::string_view document, const Profile& profile) {
  CW_TRY(const Value v, yaml::parse_yaml(document, value::Numbers::kInt64));
  Head head;
  using Decoder = StructDecoder;
  const std::array metadata_fields = {
      Decoder::Field{"name", [&](Decoder& d, const Value& m) { d.string(m, head.name); }},
      Decoder::Field{"annotations",
                     [&](Decoder& d, const Value& m) { d.string_map(m, head.annotations); }},
  };
  const Decoder::Type metadata_type = {
      "",
      "struct { Name string \"json:\\\"name\\\"\"; Annotations map[string]string "
      "\"json:\\\"annotations\\\"\" }"};
  const std::array fields = {
      Decoder::Field{"apiVersion",
                     [&](Decoder& d, const Value& m) { d.string(m, head.api_version); }},
      Decoder::Field{"kind", [&](Decoder& d, const Value& m) { d.string(m, head.kind); }},
      Decoder::Field{
          "metadata",
          [&](Decoder& d, const Value& m) { d.object(m, metadata_type, metadata_fields); }},
  };
  Decoder decoder;
  const std::string type = std::string(profile.head_package) + ".SimpleHead";
  decoder.object(v, {"SimpleHead", type}, fields);
  CW_TRY_VOID(decoder.status());
  head.document = v;
  return head;
}

}  // namespace chartwright::helm
