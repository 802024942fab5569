// SPDX-License-Identifier: Apache-2.0
#include "helm/render/template_error.h"

#include <optional>

#include "base/strings.h"
#include "helm/render/diagnosis.h"
#include "helm/render/functions.h"

namespace chartwright::helm {
namespace {

constexpr std::string_view kColon = ": ";

/// Returns the same error with another message.
base::Error reworded(const base::Error& error, std::string message) {
  base::Error clean(error.code(), std::move(message));
  if (error.pos()) {
    clean = std::move(clean).at(*error.pos());
  }
  return std::move(clean).with_help(error.help());
}

/// Formats one frame of an error's text as Helm 4 does; nullopt if it is not a frame.
/// Source: helm/helm v4 pkg/engine/engine.go parseTemplateExecErrorString.
std::optional<std::string> frame_text(std::string_view text) {
  constexpr std::string_view kPrefix = "template: ";
  constexpr std::string_view kExecuting = ": executing ";
  constexpr std::string_view kNext = " template:";
  if (!text.starts_with(kPrefix)) {
    return std::nullopt;
  }
  const std::string_view rest = text.substr(kPrefix.size());
  if (rest.starts_with("no template ")) {
    return std::string(text) + "\n";
  }
  const auto message = [kNext](std::string_view all) { return all.substr(0, all.find(kNext)); };
  const size_t executing = rest.find(kExecuting);
  if (executing != std::string_view::npos) {
    const std::string_view after = rest.substr(executing + kExecuting.size());
    const size_t quote = after.starts_with('"') ? after.find('"', 1) : std::string_view::npos;
    const size_t end = quote == std::string_view::npos ? quote : after.find(">: ", quote);
    if (end != std::string_view::npos && after.substr(quote + 1).starts_with(" at <")) {
      return std::string(rest.substr(0, executing)) + "\n  executing " +
             std::string(after.substr(0, end)) + ">:\n    " +
             std::string(message(after.substr(end + 3))) + "\n";
    }
  }
  const size_t colon = rest.rfind(kColon);
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  return std::string(rest.substr(0, colon)) + "\n  " +
         std::string(message(rest.substr(colon + kColon.size()))) + "\n";
}

/// Returns the error that a function's failure wraps: the text after "error calling NAME: ".
std::optional<std::string_view> inner_error(std::string_view text) {
  constexpr std::string_view kCalling = ">: error calling ";
  const size_t calling = text.find(kCalling);
  const size_t name = calling == std::string_view::npos ? calling : calling + kCalling.size();
  const size_t colon = name == std::string_view::npos ? name : text.find(kColon, name);
  return colon == std::string_view::npos ? std::nullopt
                                         : std::optional(text.substr(colon + kColon.size()));
}

/// Formats a trace with one line per frame; nullopt if some frame is not recognised.
std::optional<std::string> trace_of(std::string_view text) {
  std::string trace;
  std::string last;
  for (std::optional<std::string_view> at = text; at; at = inner_error(*at)) {
    std::optional<std::string> frame = frame_text(*at);
    if (!frame) {
      return std::nullopt;
    }
    if (*frame != last) {
      trace += *frame;
      last = std::move(*frame);
    }
  }
  return std::string(base::trim(trace));
}

}  // namespace

base::Error clean_parse_error(base::Error error, std::string_view source) {
  const std::string& text = error.message();
  const size_t location = text.find(kColon);
  if (location == std::string::npos) {
    return error;
  }
  const size_t begin = location + kColon.size();
  const size_t end = text.find(kColon, begin);
  const size_t last = text.rfind(kColon) + kColon.size();
  std::string clean =
      "parse error at (" + text.substr(begin, end - begin) + "): " + text.substr(last);
  std::string help = error.pos() ? snippet(*error.pos(), source) : "";
  help += (help.empty() || error.help().empty() ? "" : "\n") + error.help();
  return reworded(error, std::move(clean)).with_help(std::move(help));
}

base::Error clean_exec_error(base::Error error, ErrorRule rule) {
  const std::string& text = error.message();
  const size_t location = text.find(kColon);
  const size_t rest = location == std::string::npos ? location : text.find(kColon, location + 1);
  if (error.code() != base::ErrorCode::kTemplate || rest == std::string::npos) {
    return error;
  }
  // The message may itself contain markers, so it extends from the first start to the last end.
  const size_t start = text.find(kUserErrorStart, rest);
  const size_t end = text.rfind(kUserErrorEnd);
  if (start == std::string::npos || end == std::string::npos ||
      end < start + kUserErrorStart.size()) {
    const auto trace = rule == ErrorRule::kTrace ? trace_of(text) : std::nullopt;
    return trace ? reworded(error, *trace) : error;
  }
  const size_t message = start + kUserErrorStart.size();
  const std::string position =
      text.substr(location + kColon.size(), rest - location - kColon.size());
  return reworded(error,
                  "execution error at (" + position + "): " + text.substr(message, end - message));
}

}  // namespace chartwright::helm
