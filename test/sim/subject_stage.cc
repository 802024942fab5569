// SPDX-License-Identifier: Apache-2.0
#include "test/sim/subject_stage.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::sim {

using base::Error;
using base::ErrorCode;
using base::Status;
using kube::ObjectRef;
using value::Value;

namespace {

constexpr std::string_view kNamespace = "shop";

kube::Gvk gvk_of(const std::string& kind) {
  if (kind == "ConfigMap" || kind == "Secret") {
    return {"", "v1", kind};
  }
  return kind == "Job" ? kube::Gvk{"batch", "v1", kind} : kube::Gvk{"example.com", "v1", kind};
}

Value object_of(const ObjectRef& ref) {
  return Value::dict({{"apiVersion", Value::string(ref.gvk.api_version())},
                      {"kind", Value::string(ref.gvk.kind)},
                      {"metadata", Value::dict({{"namespace", Value::string(ref.ns)},
                                                {"name", Value::string(ref.name)}})}});
}

// The words are KEY=VALUE.
base::Result<Value> spec_of(std::span<const std::string_view> words) {
  Value spec = Value::dict();
  for (const std::string_view word : words) {
    const size_t at = word.find('=');
    if (at == std::string_view::npos) {
      return Error(ErrorCode::kParse, "\"" + std::string(word) + "\" is not KEY=VALUE");
    }
    spec.mutable_dict().set(word.substr(0, at), Value::string(std::string(word.substr(at + 1))));
  }
  return spec;
}

}  // namespace

ObjectRef ref_of_step(const std::string& kind, const std::string& name) {
  return {gvk_of(kind), std::string(kNamespace), name};
}

Status SubjectStage::perform(const std::string& step) {
  const std::vector<std::string_view> words = base::split(step, ' ');
  if (words.size() == 2 && (words[0] == "cut" || words[0] == "expire")) {
    server.cut_watches_of(gvk_of(std::string(words[1])).group_kind());
    if (words[0] == "expire") {
      server.forget_changes();
    }
    return {};
  }
  if (words.size() < 3) {
    return Error(ErrorCode::kParse, "\"" + step + "\" is not VERB KIND NAME...");
  }
  if (words[0] == "hold" && words.size() == 4) {
    CW_TRY(const base::Duration length, base::parse_go_duration(words[2]));
    hold_for(std::string(words[3]), std::string(words[1]), length);
    return {};
  }
  if (words[0] == "hold") {
    CW_TRY(const base::Duration length, base::parse_go_duration(words[2]));
    hold(gvk_of(std::string(words[1])).group_kind(), length);
    return {};
  }
  const std::string_view verb = words[0];
  const ObjectRef ref = ref_of_step(std::string(words[1]), std::string(words[2]));
  const std::span<const std::string_view> rest = std::span(words).subspan(3);
  Value object = server.peek(ref);
  object = object.is_nil() ? object_of(ref) : value::deep_copy(object);
  if (verb == "put") {
    CW_TRY(Value spec, spec_of(rest));
    object.mutable_dict().set("spec", std::move(spec));
    change(step, ref, [&] { server.put(object); });
  } else if (verb == "delete") {
    change(step, ref, [&] { server.begin_deletion(ref); });
  } else if (verb == "erase") {
    change(step, ref, [&] { server.erase(ref); });
  } else if (verb == "paint" && rest.size() == 1) {
    if (server.has(ref)) {
      Value data = Value::dict({{"color", Value::string(std::string(rest.front()))}});
      object.mutable_dict().set("data", std::move(data));
      change(step, ref, [&] { server.put(object); });
    }
  } else if (verb == "squat") {
    if (!server.has(ref)) {
      object.find("metadata")
          ->mutable_dict()
          .set("labels", Value::dict({{"app", Value::string(ref.name)}}));
      object.mutable_dict().set("data", Value::dict({{"own", Value::string("theirs")}}));
      change(step, ref, [&] { server.put(object); });
    }
  } else if (verb == "annotate" && rest.size() == 2) {
    if (server.has(ref)) {
      Value& annotations = object.find("metadata")->mutable_dict().at_or_insert("annotations");
      annotations = annotations.is_dict() ? annotations : Value::dict();
      annotations.mutable_dict().set(rest.front(), Value::string(std::string(rest.back())));
      change(step, ref, [&] { server.put(object); });
    }
  } else {
    return Error(ErrorCode::kParse, "\"" + step + "\" is no step");
  }
  return {};
}

}  // namespace chartwright::sim
