// SPDX-License-Identifier: Apache-2.0
#include "value/yaml_events.h"

#include <yaml.h>

#include "base/check.h"

namespace chartwright::value {
namespace {

using base::Error;
using base::ErrorCode;

std::string text_of(const yaml_char_t* s) {
  return s == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(s));
}

// go-yaml names lines in its own way: scanner errors count from one, others from zero.
Error error_of(const yaml_parser_t& parser) {
  size_t line = 0;
  if (parser.problem_mark.line != 0) {
    line = parser.problem_mark.line + (parser.error == YAML_SCANNER_ERROR ? 1 : 0);
  } else if (parser.context_mark.line != 0) {
    line = parser.context_mark.line;
  }
  const std::string problem =
      parser.problem != nullptr ? parser.problem : "unknown problem parsing YAML content";
  Error error(ErrorCode::kParse,
              "yaml: " + (line == 0 ? "" : "line " + std::to_string(line) + ": ") + problem);
  if (parser.error == YAML_READER_ERROR) {
    return error;
  }
  return std::move(error).at({"", static_cast<int>(parser.problem_mark.line) + 1,
                              static_cast<int>(parser.problem_mark.column) + 1});
}

YamlEvent convert(const yaml_event_t& event) {
  YamlEvent out;
  out.line = static_cast<int>(event.start_mark.line) + 1;
  out.column = static_cast<int>(event.start_mark.column) + 1;
  switch (event.type) {
    case YAML_DOCUMENT_START_EVENT:
      out.kind = YamlEventKind::kDocumentStart;
      break;
    case YAML_DOCUMENT_END_EVENT:
      out.kind = YamlEventKind::kDocumentEnd;
      break;
    case YAML_ALIAS_EVENT:
      out.kind = YamlEventKind::kAlias;
      out.anchor = text_of(event.data.alias.anchor);
      break;
    case YAML_SCALAR_EVENT:
      out.kind = YamlEventKind::kScalar;
      out.anchor = text_of(event.data.scalar.anchor);
      out.tag = text_of(event.data.scalar.tag);
      out.value.assign(reinterpret_cast<const char*>(event.data.scalar.value),
                       event.data.scalar.length);
      out.implicit = event.data.scalar.plain_implicit != 0;
      break;
    case YAML_SEQUENCE_START_EVENT:
      out.kind = YamlEventKind::kSequenceStart;
      out.anchor = text_of(event.data.sequence_start.anchor);
      break;
    case YAML_SEQUENCE_END_EVENT:
      out.kind = YamlEventKind::kSequenceEnd;
      break;
    case YAML_MAPPING_START_EVENT:
      out.kind = YamlEventKind::kMappingStart;
      out.anchor = text_of(event.data.mapping_start.anchor);
      break;
    case YAML_MAPPING_END_EVENT:
      out.kind = YamlEventKind::kMappingEnd;
      break;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
      out.kind = YamlEventKind::kStreamEnd;
      break;
  }
  return out;
}

}  // namespace

struct YamlEvents::Parser {
  yaml_parser_t parser;
};

YamlEvents::YamlEvents(std::string_view text) : parser_(std::make_unique<Parser>()) {
  CW_CHECK(yaml_parser_initialize(&parser_->parser) == 1);
  yaml_parser_set_input_string(&parser_->parser,
                               reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

YamlEvents::~YamlEvents() { yaml_parser_delete(&parser_->parser); }

base::Result<YamlEvent> YamlEvents::next() {
  for (;;) {
    yaml_event_t event;
    if (yaml_parser_parse(&parser_->parser, &event) == 0) {
      return error_of(parser_->parser);
    }
    if (event.type == YAML_STREAM_START_EVENT) {
      yaml_event_delete(&event);
      continue;
    }
    YamlEvent out = convert(event);
    yaml_event_delete(&event);
    return out;
  }
}

}  // namespace chartwright::value
