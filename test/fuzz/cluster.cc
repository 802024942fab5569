// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/digest.h"
#include "base/unicode.h"
#include "diagnosis/diagnosis.h"
#include "fields/projection.h"
#include "kube/object_json.h"
#include "kube/watch_decoder.h"
#include "revision/revision.h"
#include "test/fuzz/targets.h"
#include "value/json.h"

// Targets for input from the API server.
namespace chartwright::fuzz {
namespace {

using base::Status;
using value::Value;

struct Decoded {
  std::vector<std::string> frames;
  bool complete = false;
};

Decoded decode(std::string_view stream, size_t piece) {
  Decoded out;
  const kube::WatchSink sink = [&out](const kube::WatchFrame& frame) -> Status {
    out.frames.push_back(std::to_string(static_cast<int>(frame.type)) +
                         value::to_json(frame.object).value_or("?"));
    return {};
  };
  kube::WatchDecoder decoder({"watch", {}}, sink);
  for (size_t at = 0; at < stream.size(); at += piece) {
    if (!decoder.feed(stream.substr(at, piece)).ok()) {
      return out;
    }
  }
  out.complete = decoder.finish().ok();
  return out;
}

}  // namespace

void watch_stream(std::string_view stream) {
  const Decoded whole = decode(stream, std::max<size_t>(stream.size(), 1));
  const Decoded pieces = decode(stream, 3);  // The chunk size must not matter.
  CW_CHECK(whole.frames == pieces.frames && whole.complete == pieces.complete);
}

void diagnosis_world(std::string_view world_json) {
  const auto world = kube::parse_object_json(world_json);
  const Value* child = world.ok() ? world->find("child") : nullptr;
  if (child == nullptr) {
    return;
  }
  diagnosis::Diagnosis search(*child, diagnosis::kThoroughQuestions);
  size_t asked = 0;
  while (const auto question = search.next()) {
    CW_CHECK(++asked <= diagnosis::kThoroughQuestions);
    CW_CHECK(!question->label_selector.empty() || !question->field_selector.empty());
    search.answer(*question,
                  {diagnosis::Answer::State::kListed, world->items_at({question->gvk.kind})});
  }
  for (const diagnosis::Cause& cause : search.finding().causes) {
    for (const std::string& text : {cause.summary, cause.details}) {
      CW_CHECK(text.size() <= 200 && base::is_valid_utf8(text));
      CW_CHECK(text.find_first_of("\n\r\x1b") == std::string::npos);
    }
    CW_CHECK(0 <= cause.share.pods && cause.share.pods <= cause.share.of);
  }
}

void field_set(std::string_view object_json) {
  const auto object = kube::parse_object_json(object_json);
  if (object.ok()) {
    CW_CHECK(fields::projection_digest(*object, "chartwright") ==
             fields::projection_digest(*object, "chartwright"));
    (void)fields::desired_digest(*object);
  }
}

void revision_record(std::string_view data) {
  for (const std::string& text : {std::string(data), base::base64_encode(data)}) {
    (void)release::decode_revision(Value::dict(
        {{"metadata", Value::dict({{"labels", Value::dict({{"version", Value::string("1")}})}})},
         {"type", Value::string("helm.sh/release.v1")},
         {"data", Value::dict({{"release", Value::string(text)}})}}));
  }
}

}  // namespace chartwright::fuzz
