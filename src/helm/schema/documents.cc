// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/documents.h"

#include "go/quote.h"
#include "helm/schema/meta.h"
#include "helm/schema/reference.h"
#include "value/json.h"
#include "value/json_syntax.h"

namespace chartwright::helm {
namespace {

using base::Error;
using base::ErrorCode;

/// Returns the error of a Go decoder that reads one document from a stream and then expects EOF.
Error syntax_error(std::string_view json, const value::JsonSyntaxError& error) {
  std::string message = error.message;
  if (json.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    message = "EOF";
  } else if (error.offset >= json.size()) {
    message = "unexpected EOF";
  } else if (!value::find_json_syntax_error(json.substr(0, error.offset))) {
    message = "invalid character after top-level value";
  }
  return Error(ErrorCode::kParse, std::move(message)).at(value::position_of(json, error.offset));
}

Error loading_failed(const std::string& url, const Error& why) {
  const bool may_pass = why.code() == ErrorCode::kUnavailable || why.code() == ErrorCode::kTimeout;
  return Error(may_pass ? why.code() : ErrorCode::kSchema,
               "failing loading " + go::quote(url) + ": " + why.message());
}

Error too_much(const std::string& what) {
  return Error(ErrorCode::kBudget, "values.schema.json refers to " + what);
}

}  // namespace

base::Result<value::Value> parse_schema(std::string_view json) {
  if (const auto error = value::find_json_syntax_error(json)) {
    return syntax_error(json, *error);
  }
  return value::parse_json(json, value::Numbers::kInt64);
}

SchemaDocument& SchemaDocuments::add(value::Value content, const std::string& url) {
  auto document = std::make_unique<SchemaDocument>(std::move(content), url);
  return *documents_.insert_or_assign(url, std::move(document)).first->second;
}

base::Result<SchemaDocument*> SchemaDocuments::at(const std::string& url) {
  if (const auto found = documents_.find(url); found != documents_.end()) {
    return found->second.get();
  }
  if (!is_remote(url)) {
    return not_loaded(url);
  }
  if (const std::optional<int> draft = draft_of(url)) {
    CW_TRY(value::Value meta, parse_schema(meta_schema_text(*draft)));
    return &add(std::move(meta), url);
  }
  CW_TRY(value::Value content, load(url));
  return &add(std::move(content), url);
}

base::Result<value::Value> SchemaDocuments::load(const std::string& url) {
  if (url.size() > kUrlBytesMax) {
    return too_much("an address of more than " + std::to_string(kUrlBytesMax) + " bytes");
  }
  if (++loaded_ > kLoadedMax) {
    return too_much("more than " + std::to_string(kLoadedMax) + " other documents");
  }
  if (source_ == nullptr) {
    return loading_failed(url, Error(ErrorCode::kSchema, "schemas are not loaded from elsewhere"));
  }
  const auto text = source_->load(url);
  if (!text.ok()) {
    return loading_failed(url, text.error());
  }
  loaded_bytes_ += text->size();
  if (loaded_bytes_ > kLoadedBytesMax) {
    return too_much("documents of more than " + std::to_string(kLoadedBytesMax >> 20U) +
                    " MiB together");
  }
  auto content = parse_schema(*text);
  if (!content.ok()) {
    return loading_failed(url, content.error());
  }
  return content;
}

}  // namespace chartwright::helm
