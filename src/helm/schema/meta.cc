// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/meta.h"

#include <array>
#include <memory>

#include "go/quote.h"
#include "helm/schema/error.h"
#include "helm/schema/resources.h"
#include "value/json.h"

namespace chartwright::helm {
namespace {

struct Draft {
  int number;
  std::string_view url;
};
constexpr std::array kDrafts = {Draft{4, "http://json-schema.org/draft-04/schema"},
                                Draft{6, "http://json-schema.org/draft-06/schema"},
                                Draft{7, "http://json-schema.org/draft-07/schema"},
                                Draft{2019, "https://json-schema.org/draft/2019-09/schema"},
                                Draft{2020, "https://json-schema.org/draft/2020-12/schema"}};

std::shared_ptr<const SchemaGraph> compile(int draft, SchemaRelease release) {
  const auto document = value::parse_json(meta_schema_text(draft), value::Numbers::kInt64);
  return CW_MUST(
      compile_schema(CW_MUST(document), SchemaKind::kMeta, {UrnRule::kAnything, release}));
}

/// Adds the faults that have no causes. Their fields are JSON pointers into the document.
void add_causes(const SchemaFault& fault, const std::string& pointer,
                std::vector<base::ErrorCause>& causes) {
  constexpr size_t kCausesMax = 64;
  if (fault.causes.empty() && causes.size() < kCausesMax) {
    causes.push_back({"", fault.text, pointer + fault.location});
  }
  for (const SchemaFault& cause : fault.causes) {
    add_causes(cause, pointer, causes);
  }
}

/// Returns the meta-schema of a draft, compiled on first use.
template <int kDraft>
const SchemaGraph& compiled(SchemaRelease release) {
  if (release == SchemaRelease::k6_0_2) {
    static const auto graph = compile(kDraft, SchemaRelease::k6_0_2);
    return *graph;
  }
  static const auto graph = compile(kDraft, SchemaRelease::k6_0_3);
  return *graph;
}

std::string_view url_of(int draft) {
  for (const Draft& known : kDrafts) {
    if (known.number == draft) {
      return known.url;
    }
  }
  return kDrafts.back().url;
}

}  // namespace

const SchemaGraph& meta_schema(int draft, SchemaRelease release) {
  switch (draft) {
    case 4:
      return compiled<4>(release);
    case 6:
      return compiled<6>(release);
    case 7:
      return compiled<7>(release);
    case 2019:
      return compiled<2019>(release);
    default:
      return compiled<2020>(release);
  }
}

base::Status check_against_meta_schema(const value::Value& schema, const std::string& pointer,
                                       const SchemaResources& resources, SchemaRelease release) {
  const int draft = resources.of(pointer).draft;
  CW_TRY(const std::vector<SchemaFault> faults,
         validate_schema(meta_schema(draft, release), schema, &resources));
  if (faults.empty()) {
    return {};
  }
  std::vector<base::ErrorCause> causes;
  for (const SchemaFault& fault : faults) {
    add_causes(fault, pointer, causes);
  }
  return base::Error(base::ErrorCode::kSchema,
                     go::quote(resources.location(pointer)) +
                         " is not valid against metaschema: jsonschema validation failed with " +
                         single_quoted(std::string(url_of(draft)) + "#") + "\n" +
                         render_faults(faults))
      .with_causes(std::move(causes));
}

}  // namespace chartwright::helm
