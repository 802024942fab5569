// SPDX-License-Identifier: Apache-2.0
#include "kube/api_status.h"

#include <catch2/catch.hpp>

#include "base/file.h"
#include "base/strings.h"
#include "test/source_dir.h"
#include "value/json.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;

const ObjectRef kDeployment{{"apps", "v1", "Deployment"}, "ns", "web"};
const ObjectRef kSecret{{"", "v1", "Secret"}, "ns", "db"};

Response reply(int status, std::string_view reason, std::string_view message,
               std::string_view details = "{}") {
  std::string body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)" +
                     std::to_string(status) + R"(,"reason":")" + std::string(reason) +
                     R"(","message":")" + std::string(message) + R"(","details":)" +
                     std::string(details) + "}";
  return {status, 0, std::move(body)};
}

Error error_for(const Response& response, const ObjectRef& ref = kDeployment) {
  return error_from_response({"apply", ref}, response);
}

TEST_CASE("HTTP statuses become the codes that callers tell apart") {
  const auto code = [](int status, std::string_view reason = "") {
    return error_for(reply(status, reason, "m")).code();
  };
  CHECK(code(400, "BadRequest") == ErrorCode::kInvalid);
  CHECK(code(401, "Unauthorized") == ErrorCode::kUnauthorized);
  CHECK(code(403, "Forbidden") == ErrorCode::kForbidden);
  CHECK(code(404, "NotFound") == ErrorCode::kNotFound);
  CHECK(code(405, "MethodNotAllowed") == ErrorCode::kInvalid);
  CHECK(code(408) == ErrorCode::kTimeout);
  CHECK(code(409, "AlreadyExists") == ErrorCode::kAlreadyExists);
  CHECK(code(409, "Conflict") == ErrorCode::kConflict);
  CHECK(code(410, "Expired") == ErrorCode::kExpired);
  CHECK(code(413, "RequestEntityTooLarge") == ErrorCode::kInvalid);
  CHECK(code(415) == ErrorCode::kInvalid);
  CHECK(code(422, "Invalid") == ErrorCode::kInvalid);
  CHECK(code(429, "TooManyRequests") == ErrorCode::kTooManyRequests);
  CHECK(code(500, "InternalError") == ErrorCode::kUnavailable);
  CHECK(code(503, "ServiceUnavailable") == ErrorCode::kUnavailable);
  CHECK(code(504, "Timeout") == ErrorCode::kTimeout);
  CHECK(code(302) == ErrorCode::kUnavailable);
}

// As kube-apiserver 1.36 answers an apply or a merge patch that names the uid of another object.
TEST_CASE("A refused uid is a conflict: the object was replaced") {
  const std::string uid = R"({"reason":"FieldValueInvalid","field":"metadata.uid",
                              "message":"Invalid value: \"another\": field is immutable"})";
  const std::string selector = R"({"reason":"FieldValueInvalid","field":"spec.selector",
                                   "message":"Invalid value: {}: field is immutable"})";
  const auto code = [](const std::string& causes, const ObjectRef& ref) {
    return error_for(reply(422, "Invalid", "m", R"({"causes":[)" + causes + "]}"), ref).code();
  };
  CHECK(code(uid + "," + uid, kDeployment) == ErrorCode::kConflict);
  CHECK(code(uid, kSecret) == ErrorCode::kConflict);
  // The object that is there now may differ in more.
  CHECK(code(selector + "," + uid, kDeployment) == ErrorCode::kConflict);
  CHECK(code(selector, kDeployment) == ErrorCode::kImmutable);
}

TEST_CASE("An error keeps what the server said") {
  const Error error = error_for(reply(409, "Conflict", "Apply failed with 1 conflict", R"({
      "causes": [{"reason": "FieldManagerConflict", "message": "conflict with \"x\"",
                  "field": ".spec.replicas"}], "retryAfterSeconds": 4})"));
  CHECK(error.message() == "apply Deployment.apps ns/web: Apply failed with 1 conflict");
  CHECK(error.http_status() == 409);
  CHECK(error.reason() == "Conflict");
  CHECK(error.retry_after_s() == 4);
  REQUIRE(error.causes().size() == 1);
  CHECK(error.causes()[0].reason == "FieldManagerConflict");
  CHECK(error.causes()[0].field == ".spec.replicas");
}

TEST_CASE("The longer of header and body says when to come back") {
  Response response = reply(429, "TooManyRequests", "m", R"({"retryAfterSeconds": 1})");
  response.retry_after_s = 7;
  CHECK(error_for(response).retry_after_s() == 7);
}

TEST_CASE("A manifest outside the schema is permanent although it comes as a 500") {
  const Error error =
      error_for(reply(500, "InternalError",
                      "failed to create typed patch object (ns/web): .spec.x: field not "
                      "declared in schema"));
  CHECK(error.code() == ErrorCode::kInvalid);
  CHECK(error.http_status() == 500);
  REQUIRE(error.causes().size() == 1);
  CHECK(error.causes()[0].field == ".spec.x");
}

TEST_CASE("A value that cannot be decoded is permanent although it comes as a 500") {
  const auto code = [](std::string_view message) {
    return error_for(reply(500, "InternalError", message)).code();
  };
  for (const std::string_view message :
       {"failed to convert new object (ns/web; apps/v1, Kind=Deployment) to proper version: unable "
        "to convert unstructured object to apps/v1, Kind=Deployment: quantities must match the "
        "regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        "failed to convert new typed object (ns/web; apps/v1, Kind=Deployment) to object: x",
        "failed to convert to unversioned (ns/web; apps/v1, Kind=Deployment): x",
        "failed to create typed live object (ns/web; apps/v1, Kind=Deployment): .spec.y: field not "
        "declared in schema",
        "failed to convert live object (ns/web; apps/v1, Kind=Deployment) to proper version: x"}) {
    CAPTURE(message);
    CHECK(code(message) == ErrorCode::kInvalid);
  }
  // A webhook that converts may come back, and other faults may pass by themselves.
  for (const std::string_view message :
       {"failed to convert new object (ns/web; example.com/v1, Kind=Web) to proper version: "
        "conversion webhook for example.com/v1, Kind=Web failed: connection refused",
        "etcdserver: request timed out",
        "rpc error: failed to convert new object (ns/web) to proper version: x"}) {
    CAPTURE(message);
    CHECK(code(message) == ErrorCode::kUnavailable);
  }
}

TEST_CASE("A 422 is immutable only if all of its causes are") {
  // Messages of kube-apiserver 1.36.3.
  const std::string selector =
      R"({"reason":"FieldValueInvalid","message":"Invalid value: {}: field is immutable",)"
      R"("field":"spec.selector"})";
  const std::string statefulset =
      R"({"reason":"FieldValueForbidden","message":"Forbidden: updates to statefulset spec for )"
      R"(fields other than 'replicas', 'ordinals' are forbidden","field":"spec"})";
  const std::string shrink =
      R"({"reason":"FieldValueForbidden","message":"Forbidden: field can not be less than )"
      R"(status.capacity","field":"spec.resources.requests.storage"})";
  const std::string volume =
      R"({"reason":"FieldValueForbidden","message":"Forbidden: spec.persistentvolumesource is )"
      R"(immutable after creation\n core.PersistentVolumeSource{","field":)"
      R"("spec.persistentvolumesource"})";
  const std::string pod =
      R"({"reason":"FieldValueForbidden","message":"Forbidden: pod updates may not add or remove )"
      R"(containers","field":"spec.containers"})";
  const std::string other =
      R"({"reason":"FieldValueRequired","message":"Required value","field":"spec.x"})";
  const auto code = [](const std::string& causes) {
    return error_for(reply(422, "Invalid", "m", R"({"causes":[)" + causes + "]}")).code();
  };
  CHECK(code(selector) == ErrorCode::kImmutable);
  CHECK(code(statefulset) == ErrorCode::kImmutable);
  CHECK(code(shrink) == ErrorCode::kImmutable);
  CHECK(code(volume) == ErrorCode::kImmutable);
  CHECK(code(pod) == ErrorCode::kImmutable);
  CHECK(code(selector + "," + shrink) == ErrorCode::kImmutable);
  CHECK(code(selector + "," + other) == ErrorCode::kInvalid);
  CHECK(code(other) == ErrorCode::kInvalid);
  CHECK(code("") == ErrorCode::kInvalid);
}

TEST_CASE("An answer that is not a Status is quoted in part, on one line") {
  const Error plain = error_for({502, 0, "Bad Gateway\nfrom a proxy"});
  CHECK(plain.code() == ErrorCode::kUnavailable);
  CHECK(plain.message() ==
        "apply Deployment.apps ns/web: HTTP status 502: Bad Gateway from a proxy");
  CHECK(error_for({502, 0, ""}).message() == "apply Deployment.apps ns/web: HTTP status 502");
  CHECK(error_for({502, 0, std::string(10'000, 'x')}).message().size() < 300);
  // If a Status has a different code from the response, that of the response counts.
  CHECK(error_for({503, 0, R"({"kind":"Status","code":404,"message":"m"})"}).code() ==
        ErrorCode::kUnavailable);
}

TEST_CASE("No text about a Secret can quote its data") {
  const Error invalid = error_for(
      reply(422, "Invalid", "Secret db is invalid: data[p]: Invalid value: hunter2",
            R"({"causes":[{"reason":"FieldValueInvalid","message":"Invalid value: hunter2",
                           "field":"data[p]"}]})"),
      kSecret);
  CHECK(invalid.to_string().find("hunter2") == std::string::npos);
  CHECK(invalid.message().find("data[p]") != std::string::npos);
  REQUIRE(invalid.causes().size() == 1);
  CHECK(invalid.causes()[0].message.empty());

  const Error typed =
      error_for(reply(500, "InternalError",
                      "failed to create typed patch object (ns/db; /v1, Kind=Secret): errors:\\n"
                      "  .stringData.port: expected string, got hunter2\\n"
                      "  .extra: field not declared in schema"),
                kSecret);
  CHECK(typed.code() == ErrorCode::kInvalid);
  CHECK(typed.to_string().find("hunter2") == std::string::npos);
  CHECK(typed.message().ends_with("(fields: .stringData.port, .extra)"));
  REQUIRE(typed.causes().size() == 2);
  CHECK(typed.causes()[0].message.empty());

  const Error undecoded = error_for(
      reply(500, "InternalError",
            "failed to convert new object (ns/db; /v1, Kind=Secret) to proper version: hunter2"),
      kSecret);
  CHECK(undecoded.code() == ErrorCode::kInvalid);
  CHECK(undecoded.to_string().find("hunter2") == std::string::npos);

  const Error proxy = error_for({502, 0, "could not forward hunter2"}, kSecret);
  CHECK(proxy.to_string().find("hunter2") == std::string::npos);

  // RBAC's message contains no data, and says what the reader needs to know.
  const Error forbidden = error_for(
      reply(403, "Forbidden", R"(secrets \"db\" is forbidden: User \"u\" cannot patch resource)"),
      kSecret);
  CHECK(forbidden.message().find("cannot patch resource") != std::string::npos);
  const Error denied = error_for(
      reply(403, "Forbidden", R"(admission webhook \"w\" denied the request: hunter2 is weak)"),
      kSecret);
  CHECK(denied.code() == ErrorCode::kForbidden);
  CHECK(denied.to_string().find("hunter2") == std::string::npos);
}

// test/e2e/test_wrong_values.py writes the table.
TEST_CASE("An object with a value of a wrong type is refused, and never an outage") {
  const std::string table =
      CW_MUST(base::read_file(source_dir() + "/test/kube/wrong_values.txt", size_t{1} << 20));
  size_t answers = 0;
  for (const std::string_view line : base::split(base::trim(table), '\n')) {
    CAPTURE(line);
    const auto answer = CW_MUST(value::parse_json(line, value::Numbers::kInt64));
    CHECK(error_from_status({"apply", kDeployment}, answer).code() == ErrorCode::kInvalid);
    const Error secret = error_from_status({"apply", kSecret}, answer);
    CHECK(secret.code() == ErrorCode::kInvalid);
    CHECK(secret.to_string().find("wrong-value") == std::string::npos);
    ++answers;
  }
  CHECK(answers >= 100);
}

TEST_CASE("An ERROR frame of a watch is an error like a response") {
  const auto status = CW_MUST(value::parse_json(
      R"({"kind":"Status","code":410,"reason":"Expired","message":"too old resource version"})",
      value::Numbers::kInt64));
  const Error error = error_from_status({"watch", {{"", "v1", "Pod"}, "", ""}}, status);
  CHECK(error.code() == ErrorCode::kExpired);
  CHECK(error.message() == "watch Pod: too old resource version");
}

}  // namespace
}  // namespace chartwright::kube
