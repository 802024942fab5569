// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "diagnosis/cause.h"
#include "value/value.h"

// Reads texts of the kubelet, the scheduler, the controllers and the API server, which
// may be of any length and content.
namespace chartwright::diagnosis {

inline constexpr size_t kTextBytesMax = 200;

/// The evidence of a cause, as two texts: without parts that change while the cause stays, and
/// with all of them.
struct Sign {
  Code code = Code::kResourceNotReady;
  std::string stable = {};
  std::string full = {};
  bool is_init = false;  ///< Whether an init container says so.
  int64_t restarts = 0;  ///< The restarts of that container.
};

bool contains(std::string_view text, std::string_view part);
/// Returns the text at a place of an object, cut to what is read of one: 4 KiB.
std::string_view text_at(const value::Value& object, std::initializer_list<std::string_view> path);
/// Returns the integer at a place of an object, or `otherwise`.
int64_t integer_at(const value::Value& object, std::initializer_list<std::string_view> path,
                   int64_t otherwise = 0);

/// Returns the beginning of `text` in one line, with a space for each run of white space, control
/// characters and invalid UTF-8.
std::string one_line(std::string_view text, size_t max_bytes = kTextBytesMax);
/// Returns what precedes the first ". ", or a "." at the end.
std::string_view first_sentence(std::string_view text);
/// Returns `text` if it may be the reason of a status ("OOMKilled"), else `otherwise`.
std::string_view identifier(std::string_view text, std::string_view otherwise);
/// Returns `text` without the random parts of the names of pods and ReplicaSets that begin with
/// `base` and a hyphen.
std::string without_generated_names(std::string_view text, std::string_view base);

enum class Exact : uint8_t { kNo, kYes };
/// Returns "7 restarts" or, rounded down to a power of two, "4+ restarts"; "" for none.
std::string restarts_text(int64_t count, Exact exact);

/// Returns the reasons in a message of the scheduler, sorted and without their numbers of nodes:
/// "Insufficient cpu, node(s) had untolerated taint(s)".
std::string scheduling_reasons(std::string_view message);
/// Returns `secret "db" not found` or `no key "tls.crt" in Secret db` if a message of the kubelet
/// or of an API server says so.
std::optional<std::string> missing_reference(std::string_view message);
/// Returns why an image cannot be pulled, in a word of ours; "" if the message does not say it.
std::string_view pull_failure(std::string_view message);
/// Returns "readiness probe: HTTP status 503", without any output of the program, for the message
/// of an Event `Unhealthy`.
std::string probe_failure(std::string_view message);
/// Returns why the API server refuses a pod, for the message of a controller that was to create it.
Sign refusal(std::string_view message);
/// Returns the part of a message on volumes that names the step and the volume.
std::string_view volume_step(std::string_view message);

}  // namespace chartwright::diagnosis
