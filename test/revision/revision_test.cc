// SPDX-License-Identifier: Apache-2.0
#include "revision/revision.h"

#include <catch2/catch.hpp>

#include "base/digest.h"
#include "model/memory_server.h"
#include "record/gzip.h"
#include "revision/keyed_digest.h"
#include "test/release/objects.h"
#include "value/compare.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using testing::json;
using value::Value;

Revision sample(int number = 3) {
  Revision revision;
  revision.number = number;
  revision.description = "Upgrade complete";
  revision.manifest = "---\n# Source: bookstore/templates/a.yaml\nkind: ConfigMap\n";
  revision.notes = "Thank you, \"<you>\" & all.";
  revision.config = json(R"({"replicas":3,"ratio":0.5,"name":"x","none":null,"list":[1,"a"]})");
  revision.chart_metadata = json(R"({"name":"bookstore","version":"0.1.0","apiVersion":"v2"})");
  revision.first_deployed = CW_MUST(base::parse_rfc3339("2026-01-02T03:04:05Z"));
  revision.last_deployed = CW_MUST(base::parse_rfc3339("2026-01-03T03:04:05Z"));
  return revision;
}

Value encoded(const Revision& revision) {
  return CW_MUST(encode_revision(revision, testing::book_owner()));
}

// Decodes the record of a Secret.
Value record_of(const Value& secret) {
  const std::string once = CW_MUST(base::base64_decode(secret.string_at({"data", "release"})));
  const std::string packed = CW_MUST(base::base64_decode(once));
  return json(CW_MUST(record::gunzip(packed, 1 << 20)));
}

// Returns a Secret with the given record.
Value secret_with(std::string_view record) {
  const std::string packed =
      base::base64_encode(base::base64_encode(CW_MUST(record::gzip(record))));
  return Value::dict({{"data", Value::dict({{"release", Value::string(packed)}})}});
}

kube::ObjectRef secret_ref(const std::string& name) { return {{"", "v1", "Secret"}, "shop", name}; }

TEST_CASE("A revision survives the way through its Secret") {
  const Revision in = sample();
  const Revision out = CW_MUST(decode_revision(encoded(in)));
  CHECK(out.number == 3);
  CHECK(out.status == RevisionStatus::kDeployed);
  CHECK(out.description == in.description);
  CHECK(out.manifest == in.manifest);
  CHECK(out.notes == in.notes);
  CHECK(out.first_deployed == in.first_deployed);
  CHECK(out.last_deployed == in.last_deployed);
  CHECK(CW_MUST(value::to_json(out.config)) == CW_MUST(value::to_json(in.config)));
  CHECK(CW_MUST(value::to_json(out.chart_metadata)) == CW_MUST(value::to_json(in.chart_metadata)));
  CHECK(encoded(out).string_at({"data", "release"}) == encoded(in).string_at({"data", "release"}));
}

TEST_CASE("A record says which change of the spec its revision carries out") {
  CHECK(encoded(sample()).find_path({"metadata", "annotations"}) == nullptr);
  CHECK(CW_MUST(decode_revision(encoded(sample()))).spec.generation == 0);
  Revision revision = sample();
  revision.spec = {7, "kubectl-edit"};
  const Value secret = encoded(revision);
  CHECK(kube::annotation_of(secret, "chartwright.io/spec-generation") == "7");
  const Revision read = CW_MUST(decode_revision(secret));
  CHECK(read.spec.generation == 7);
  CHECK(read.spec.manager == "kubectl-edit");
}

TEST_CASE("The Secret is named, labelled and typed as Helm's") {
  const Value secret = encoded(sample());
  CHECK(kube::ref_of(secret) == secret_ref("sh.helm.release.v1.books.v3"));
  CHECK(secret.string_at({"type"}) == "helm.sh/release.v1");
  CHECK(kube::label_of(secret, "owner") == "helm");
  CHECK(kube::label_of(secret, "name") == "books");
  CHECK(kube::label_of(secret, "status") == "deployed");
  CHECK(kube::label_of(secret, "version") == "3");
  CHECK(kube::label_of(secret, "createdAt") == "1767409445");
  // Garbage collection deletes it with the custom resource.
  CHECK(kube::is_owned_by(secret, "uid-cr"));
}

TEST_CASE("The record has the members that Helm reads") {
  const Value record = record_of(encoded(sample()));
  CHECK(record.string_at({"name"}) == "books");
  CHECK(record.string_at({"namespace"}) == "shop");
  CHECK(record.find("version")->as_int() == 3);
  CHECK(record.string_at({"info", "status"}) == "deployed");
  CHECK(record.string_at({"info", "description"}) == "Upgrade complete");
  CHECK(record.string_at({"info", "first_deployed"}) == "2026-01-02T03:04:05Z");
  CHECK(record.string_at({"info", "last_deployed"}) == "2026-01-03T03:04:05Z");
  CHECK(record.find_path({"info", "deleted"}) != nullptr);
  CHECK(record.string_at({"chart", "metadata", "name"}) == "bookstore");
  CHECK(record.find_path({"config", "replicas"})->as_int() == 3);
}

TEST_CASE("A record written by Helm is read") {
  // Written by helm.sh/helm/v3 v3.22.0, pkg/storage/driver, secrets.go.
  const std::string release =
      "SDRzSUFBQUFBQUFDLzVTUVRXOFRNUkNHLzhycTVlcmRPcHQrVUVzOUZTRXVIQkFGcEJDRXB0N1p4SXJYdHZ3Un"
      "FLcjhkK1N0dW9xNDlXVFBlUHcrZnZ3TVJ4TkQ0ZEg3UTRLQWNhT0hlc1pvWXNxL0J3N1dQL0VBaFY3MjE2MWN0"
      "Ykova0dzbEw1Vzg2cTV2M3QvS1ZiKyszRURBMGhzdkRHdzV6Nk56a1hRMElSdnZvUEF0N0NJTjNHZy9oVG9FZ1"
      "pRcGx3U0ZWQUxIeEFNUEVIQStjMjErWW10OXN5MVNydlhqdkRCT0FucFBNVmVkaVRNTmxLbnV6NDJ6anpYOHlE"
      "RzlrR1czNmlRRUtKanZTL1BZMXpEcjlRSEtGV3NGTWsvQjBzeit1U1F1elF2cW5taXlWV3RtZ25wYk5oLzg3a3"
      "QvV3phVGRROC9QdjY1MzkzZDRmUkw0RWkyMUtDWDVLVDNQTkZyTlJyN2VsUjF2QnZON3N6aEx3UWlaZU9oWkhj"
      "bEVEbFlveWxCclU4Q0V6a3pjc3BRYU50MjY5NDFYMzJKbWxXenVGLzgvK2F0T3hnM3FPWitSbjJtc0hYbi8zTW"
      "pablFLcENzLzdYM0E2VjhBQUFELy84ZVh1OXRGQWdBQQ==";
  const Value secret = Value::dict({{"data", Value::dict({{"release", Value::string(release)}})}});
  const Revision revision = CW_MUST(decode_revision(secret));
  CHECK(revision.number == 7);
  CHECK(revision.status == RevisionStatus::kSuperseded);
  CHECK(revision.description == "Upgrade complete");
  CHECK(revision.manifest == "---\n# Source: bookstore/templates/a.yaml\nkind: ConfigMap\n");
  CHECK(revision.notes == "Hello <b>");
  CHECK(base::format_rfc3339(revision.first_deployed) == "2026-01-02T03:04:05Z");
  CHECK(CW_MUST(value::to_json(revision.config)) == R"({"name":"x","ratio":0.5,"replicas":3})");
  CHECK(revision.chart_metadata.string_at({"name"}) == "bookstore");
}

TEST_CASE("Values that Helm leaves out of a record are empty") {
  const std::string json =
      R"({"name":"books","version":2,"manifest":"","info":{"status":"deployed"}})";
  const Revision revision = CW_MUST(decode_revision(secret_with(json)));
  CHECK(revision.config.is_dict());
  CHECK(revision.config.as_dict().empty());
}

TEST_CASE("A record from before Helm compressed them is read") {
  const std::string plain = base::base64_encode(
      base::base64_encode(R"({"version":1,"manifest":"m","info":{"status":"failed"}})"));
  const Revision revision = CW_MUST(
      decode_revision(Value::dict({{"data", Value::dict({{"release", Value::string(plain)}})}})));
  CHECK(revision.number == 1);
  CHECK(revision.status == RevisionStatus::kFailed);
}

TEST_CASE("A Secret without a record is refused") {
  const auto decoded = [](const Value& secret) {
    const auto revision = decode_revision(secret);
    REQUIRE_FALSE(revision.ok());
    return revision.error().code();
  };
  CHECK(decoded(json("{}")) == ErrorCode::kParse);
  CHECK(decoded(json("[]")) == ErrorCode::kParse);
  CHECK(decoded(json(R"({"data":{"release":"?"}})")) == ErrorCode::kParse);
  CHECK(decoded(json(R"({"data":{"release":"Pw=="}})")) == ErrorCode::kParse);
  for (std::string_view record :
       {"", "{", "[]", "{}", R"({"version":"1","manifest":""})", R"({"version":1})",
        R"({"version":1,"manifest":5,"info":{"status":"deployed"}})",
        R"({"version":1,"manifest":"","info":{"status":"asleep"}})",
        R"({"version":1,"manifest":""})",
        // Numbers that a revision cannot have.
        R"({"version":0,"manifest":"","info":{"status":"deployed"}})",
        R"({"version":-1,"manifest":"","info":{"status":"deployed"}})",
        R"({"version":1.5,"manifest":"","info":{"status":"deployed"}})",
        R"({"version":1e300,"manifest":"","info":{"status":"deployed"}})"}) {
    INFO(record);
    CHECK(decoded(secret_with(record)) == ErrorCode::kParse);
  }
}

TEST_CASE("Times that cannot be read are unknown, not fatal") {
  const Revision revision = CW_MUST(decode_revision(secret_with(
      R"({"version":1,"manifest":"","info":{"status":"deployed","first_deployed":"yesterday"}})")));
  CHECK(revision.first_deployed == base::WallTime{});
  CHECK(revision.config.as_dict().empty());
}

TEST_CASE("A record that unpacks to too much is refused") {
  const Value secret = secret_with(std::string(size_t{65} << 20, ' '));
  CHECK(decode_revision(secret).error().code() == ErrorCode::kParse);  // None such is written.
}

TEST_CASE("A revision that could not be read again is not recorded") {
  Revision revision = sample();
  revision.manifest = std::string(size_t{64} << 20, ' ');
  CHECK(encode_revision(revision, testing::book_owner()).error().code() == ErrorCode::kBudget);
  revision = sample();
  revision.notes = std::string((size_t{1} << 20) + 1, 'n');
  CHECK(encode_revision(revision, testing::book_owner()).error().code() == ErrorCode::kBudget);
}

TEST_CASE("A manifest that does not fit a Secret is refused with figures") {
  Revision revision = sample();
  revision.manifest = base::base64_encode(CW_MUST(base::random_bytes(size_t{1} << 20)));
  const auto secret = encode_revision(revision, testing::book_owner());
  REQUIRE_FALSE(secret.ok());
  CHECK(secret.error().code() == ErrorCode::kBudget);
  CHECK_THAT(secret.error().message(),
             Catch::Matchers::StartsWith("revision 3 does not fit a Secret: ") &&
                 Catch::Matchers::EndsWith(" bytes compressed, at most 1040384"));
}

std::shared_ptr<const record::PackedChart> packed(const std::vector<record::ChartFile>& templates,
                                                  const std::vector<record::ChartFile>& files) {
  return CW_MUST(record::pack_chart(
      record::ChartFiles{.lock = {}, .schema = {}, .templates = templates, .files = files}));
}

TEST_CASE("The files of the chart are in its record, and stay") {
  Revision revision = sample();
  revision.chart_values = json(R"({"lock":[],"replicas":1})");
  revision.chart_files = packed({{"templates/a.yaml", "a"}}, {{"README.md", "b"}});
  const Value chart = *record_of(encoded(revision)).find("chart");
  CHECK(chart.find_path({"values", "replicas"})->as_int() == 1);
  CHECK(chart.find("templates")->as_list().items.at(0).string_at({"name"}) == "templates/a.yaml");
  CHECK(chart.find("files")->as_list().items.at(0).string_at({"data"}) == "Yg==");
  // In the record of a rollback.
  const Revision read = CW_MUST(decode_revision(encoded(revision)));
  CHECK(value::json_equal(*record_of(encoded(read)).find("chart"), chart));
}

TEST_CASE("The files of a chart that others recorded stay") {
  const std::string chart = R"({"metadata":{"name":"x"},"values":{"a":1},"lock":null,)"
                            R"("schema":"e30=","templates":[{"name":"t","data":"YQ=="}],)"
                            R"("files":[]})";
  const Revision read = CW_MUST(decode_revision(secret_with(
      R"({"version":1,"manifest":"m","info":{"status":"deployed"},"chart":)" + chart + "}")));
  CHECK(value::json_equal(*record_of(encoded(read)).find("chart"), json(chart)));
}

TEST_CASE("Files that do not fit are left out of a record, the templates last") {
  const std::string noise = base::base64_encode(CW_MUST(base::random_bytes(size_t{500} << 10)));
  Revision revision = sample();
  const auto names = [&revision](const std::string& member) {
    const Value record =
        json(CW_MUST(record::gunzip(CW_MUST(base::base64_decode(CW_MUST(base::base64_decode(
                                        encoded(revision).string_at({"data", "release"}))))),
                                    8 << 20)));
    const size_t count = record.find_path({"chart", member})->as_list().items.size();
    CHECK(record.string_at({"manifest"}) == revision.manifest);
    return count;
  };
  revision.chart_files = packed({{"t", noise}}, {{"f", "x"}});
  CHECK(names("files") == 1);
  CHECK(names("templates") == 1);
  revision.chart_files = packed({{"t", "x"}}, {{"f", noise}, {"g", noise}});
  CHECK(names("files") == 0);
  CHECK(names("templates") == 1);
  revision.chart_files = packed({{"t", noise}, {"u", noise}}, {{"f", "x"}});
  CHECK(names("files") == 0);
  CHECK(names("templates") == 0);
}

TEST_CASE("A record with a damaged second part is refused") {
  Revision revision = sample();
  revision.chart_files = packed({{"t", "x"}}, {});
  const std::string once =
      CW_MUST(base::base64_decode(encoded(revision).string_at({"data", "release"})));
  std::string record = CW_MUST(base::base64_decode(once));
  record += "junk";
  const auto secret_of = [](const std::string& bytes) {
    const std::string text = base::base64_encode(base::base64_encode(bytes));
    return Value::dict({{"data", Value::dict({{"release", Value::string(text)}})}});
  };
  // Of a record in one piece; the parts that we write are for Helm to read.
  const std::string whole = CW_MUST(record::gzip(R"({"version":1,"manifest":"m","info":{}})"));
  CHECK(decode_revision(secret_of(whole + "junk")).error().code() == ErrorCode::kParse);
  CHECK(decode_revision(secret_of(record)).ok());
}

TEST_CASE("A long name is cut to what Helm takes, and stays its own") {
  const auto record_name = [](const std::string& cr) {
    Owner owner = testing::book_owner();
    owner.name = cr;
    const Value secret = CW_MUST(encode_revision(sample(), owner));
    const std::string label(*kube::label_of(secret, "name"));
    CHECK(record_of(secret).string_at({"name"}) == label);
    CHECK(kube::name_of(secret) == "sh.helm.release.v1." + label + ".v3");
    return label;
  };
  const std::string longest(53, 'a');
  CHECK(record_name(longest) == longest);
  const std::string one = record_name(longest + "a");
  const std::string other = record_name(longest + "b");
  CHECK(one.size() == 53);
  CHECK(one != other);
  CHECK(one == record_name(longest + "a"));
  // The cut must not leave "." or "-" at the end: "a.-hash" is not a valid name.
  for (const std::string end : {".", "-", "-.", "a."}) {
    const std::string head = std::string(43 - end.size(), 'a') + end;
    const std::string name = record_name(head + std::string(20, 'b'));
    INFO(name);
    CHECK(name.find(".-") == std::string::npos);
    CHECK(name.find("--") == std::string::npos);
    CHECK(name.size() <= 53);
  }
}

const std::string kKey(kKeyBytes, 'k');

Revision keyed(int number = 3, const std::string& key = kKey) {
  Revision revision = sample(number);
  revision.key = key;
  return revision;
}

TEST_CASE("A key stands beside the record, where Helm does not look") {
  const Value secret = encoded(keyed());
  CHECK(secret.string_at({"data", "key"}) == base::base64_encode(kKey));
  CHECK(secret.string_at({"data", "release"}) == encoded(sample()).string_at({"data", "release"}));
  CHECK(CW_MUST(decode_revision(secret)).key == kKey);
  CHECK(encoded(sample()).find_path({"data", "key"}) == nullptr);
}

TEST_CASE("A key of another form counts as none") {
  for (const std::string& text :
       {std::string(), std::string("?"), base::base64_encode(kKey.substr(1)),
        base::base64_encode(kKey + "k")}) {
    INFO(text);
    Value secret = encoded(sample());
    secret.find("data")->mutable_dict().set("key", Value::string(text));
    CHECK(CW_MUST(decode_revision(secret)).key.empty());
  }
}

TEST_CASE("Statuses have Helm's words") {
  CHECK(to_string(RevisionStatus::kDeployed) == "deployed");
  CHECK(to_string(RevisionStatus::kSuperseded) == "superseded");
  CHECK(to_string(RevisionStatus::kFailed) == "failed");
}

struct Shelf {
  model::MemoryServer api;
  kube::Call call;
  Owner owner = testing::book_owner();
  RevisionStore store{api, call, owner};

  void holds(const Revision& revision) { api.put(encoded(revision)); }
  std::string status_of(int number) {
    return std::string(*kube::label_of(
        *api.find(secret_ref("sh.helm.release.v1.books.v" + std::to_string(number))), "status"));
  }
};

const std::string kSecond = "Secret shop/sh.helm.release.v1.books.v2";
const std::string kThird = "Secret shop/sh.helm.release.v1.books.v3";

TEST_CASE("A revision that is stored can be loaded") {
  Shelf shelf;
  CHECK(CW_MUST(shelf.store.append(sample())) == 3);
  CHECK(shelf.api.whats() == std::vector{"create " + kThird});
  CHECK(CW_MUST(shelf.store.load(3)).manifest == sample().manifest);
  CHECK(shelf.store.load(4).error().code() == ErrorCode::kNotFound);
}

TEST_CASE("A number that is taken by our own record") {
  Shelf shelf;
  SECTION("of the same state counts as stored") {
    shelf.holds(sample());
    CHECK(CW_MUST(shelf.store.append(sample())) == 3);
    CHECK(shelf.api.count("Secret") == 1);
  }
  SECTION("counts once it has the key") {
    const std::string other = GENERATE(std::string(), std::string(kKeyBytes, 'x'));
    shelf.holds(keyed(3, other));
    CHECK(CW_MUST(shelf.store.append(keyed())) == 3);
    CHECK(CW_MUST(shelf.store.load(3)).key == kKey);
    CHECK(CW_MUST(shelf.store.load(3)).manifest == sample().manifest);
    shelf.api.forget_calls();
    CHECK(CW_MUST(shelf.store.append(keyed())) == 3);
    CHECK(shelf.api.whats() == std::vector{"create " + kThird, "get " + kThird});
  }
  SECTION("of another manifest is passed over") {
    Revision other = sample();
    other.manifest = "other";
    shelf.holds(other);
    CHECK(CW_MUST(shelf.store.append(sample())) == 4);
    CHECK(CW_MUST(shelf.store.load(3)).manifest == "other");
    CHECK(CW_MUST(shelf.store.load(4)).manifest == sample().manifest);
  }
  SECTION("of another status is passed over") {
    Revision other = sample();
    other.status = RevisionStatus::kSuperseded;
    shelf.holds(other);
    CHECK(CW_MUST(shelf.store.append(sample())) == 4);
  }
}

TEST_CASE("A number that is taken by others") {
  Shelf shelf;
  SECTION("by a stranger's record is passed over, together with all of theirs") {
    for (const int number : {3, 4, 9}) {
      Owner stranger = testing::book_owner();
      stranger.uid = "uid-other";
      shelf.api.put(CW_MUST(encode_revision(sample(number), stranger)));
    }
    CHECK(CW_MUST(shelf.store.append(sample())) == 10);
    CHECK(shelf.api.last("list Secret shop owner=helm,name=books").body.is_nil());
  }
  SECTION("by something that is not a record is passed over") {
    shelf.api.put(json(R"({"apiVersion":"v1","kind":"Secret",
        "metadata":{"name":"sh.helm.release.v1.books.v3","namespace":"shop"}})"));
    CHECK(CW_MUST(shelf.store.append(sample())) == 4);
  }
  SECTION("with a version label that is not a number, or absurd") {
    for (const std::string version : {"x", "999999999999999999", "-5", "2147483647"}) {
      Value secret = encoded(sample());
      secret.find("metadata")
          ->mutable_dict()
          .set("labels", Value::dict({{"owner", Value::string("helm")},
                                      {"name", Value::string("books")},
                                      {"version", Value::string(version)}}));
      secret.find("metadata")->mutable_dict().set("ownerReferences", Value::list());
      shelf.api.put(secret);
      INFO(version);
      CHECK(CW_MUST(shelf.store.append(sample())) == 4);
      shelf.api.erase(secret_ref("sh.helm.release.v1.books.v4"));
    }
  }
  SECTION("by what is gone when we look is tried again") {
    shelf.api.fail_once("create " + kThird, Error(ErrorCode::kAlreadyExists, "taken"));
    CHECK(CW_MUST(shelf.store.append(sample())) == 3);
  }
  SECTION("again and again ends") {
    shelf.api.fail_always("create " + kThird, Error(ErrorCode::kAlreadyExists, "taken"));
    const auto number = shelf.store.append(sample());
    REQUIRE_FALSE(number.ok());
    CHECK(number.error().code() == ErrorCode::kConflict);
    CHECK(number.error().message() == "somebody else keeps adding revisions of books");
  }
}

TEST_CASE("Numbers go on after those of others, who may have deleted ours") {
  Shelf shelf;
  Revision ours = sample();
  ours.number = 2;
  const auto append = [&shelf] {
    return CW_MUST(shelf.store.append({sample(), encoded(sample())}, 2));
  };
  SECTION("unless the deployed record is as we left it, which is read once") {
    shelf.holds(ours);
    CHECK(append() == 3);
    CHECK(shelf.store.supersede(2).ok());
    CHECK(shelf.status_of(2) == "superseded");
    CHECK(shelf.api.whats() ==
          std::vector<std::string>{"get " + kSecond, "create " + kThird, "patch " + kSecond});
  }
  SECTION("where it is gone") {
    Value theirs = encoded(sample(9));
    theirs.find("metadata")->mutable_dict().set("ownerReferences", Value::list());
    shelf.api.put(theirs);
    CHECK(append() == 10);
    CHECK(shelf.status_of(9) == "superseded");
    CHECK(shelf.status_of(10) == "deployed");
  }
  SECTION("where it is no longer deployed") {
    ours.status = RevisionStatus::kSuperseded;
    shelf.holds(ours);
    shelf.holds(sample(4));
    CHECK(append() == 5);
    CHECK(shelf.status_of(4) == "superseded");
  }
  SECTION("but not where only the record was lost") { CHECK(append() == 3); }
  SECTION("but not where an earlier process of ours ended before it could report") {
    ours.status = RevisionStatus::kSuperseded;
    shelf.holds(ours);
    shelf.holds(sample());
    CHECK(append() == 3);
    CHECK(shelf.status_of(3) == "deployed");
  }
  SECTION("and a deployed record that changes before it is superseded is a conflict") {
    shelf.holds(ours);
    CHECK(append() == 3);
    ours.description = "changed";
    shelf.holds(ours);
    CHECK(shelf.store.supersede(2).error().code() == ErrorCode::kConflict);
  }
}

TEST_CASE("Other errors of storing come through") {
  Shelf shelf;
  shelf.api.fail_once("create " + kThird, Error(ErrorCode::kForbidden, "no"));
  CHECK(shelf.store.append(sample()).error().code() == ErrorCode::kForbidden);

  shelf.holds(sample(3));
  shelf.api.fail_once("get " + kThird, Error(ErrorCode::kUnavailable, "no"));
  CHECK(shelf.store.append(sample()).error().code() == ErrorCode::kUnavailable);

  Revision big = sample();
  big.manifest = base::base64_encode(CW_MUST(base::random_bytes(size_t{1} << 20)));
  CHECK(shelf.store.append(big).error().code() == ErrorCode::kBudget);
}

TEST_CASE("A deployed revision is marked as superseded, in label and record") {
  Shelf shelf;
  shelf.holds(keyed());
  CHECK(shelf.store.supersede(3).ok());
  CHECK(shelf.status_of(3) == "superseded");
  const Revision revision = CW_MUST(shelf.store.load(3));
  CHECK(revision.status == RevisionStatus::kSuperseded);
  CHECK(revision.manifest == sample().manifest);
  CHECK(revision.key == kKey);

  SECTION("once") {
    shelf.api.forget_calls();
    CHECK(shelf.store.supersede(3).ok());
    CHECK(shelf.api.whats() == std::vector{"get " + kThird});
  }
  SECTION("a missing one is fine") { CHECK(shelf.store.supersede(8).ok()); }
  SECTION("an unreadable one is let alone") {
    shelf.api.put(json(R"({"apiVersion":"v1","kind":"Secret",
        "metadata":{"name":"sh.helm.release.v1.books.v4","namespace":"shop",
                    "ownerReferences":[{"uid":"uid-cr"}]}})"));
    shelf.api.forget_calls();
    CHECK(shelf.store.supersede(4).ok());
    CHECK(shelf.api.whats() ==
          std::vector<std::string>{"get Secret shop/sh.helm.release.v1.books.v4"});
  }
  SECTION("errors of the server come through") {
    shelf.api.fail_once("get " + kThird, Error(ErrorCode::kUnavailable, "no"));
    CHECK(shelf.store.supersede(3).error().code() == ErrorCode::kUnavailable);
  }
}

TEST_CASE("A record that cannot be read now is neither there nor absent") {
  Shelf shelf;
  shelf.holds(keyed());
  const Error error = GENERATE(Error(ErrorCode::kCancelled, "stopped"),
                               Error(ErrorCode::kBudget, "too much memory"));
  RevisionStore bounded(shelf.api, shelf.call, shelf.owner, nullptr,
                        [&error](const Value& /*secret*/) { return error; });
  const auto check = [&error](const auto& result) {
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code() == error.code());
    CHECK((result.error().reason() == kUnreadableNow) == (error.code() == ErrorCode::kBudget));
  };
  check(bounded.find(3));
  check(bounded.load(3));
  check(bounded.load_all(9, "bookstore"));
  check(bounded.append(sample()));
  CHECK(shelf.api.count("Secret") == 1);
  CHECK(shelf.status_of(3) == "deployed");
  // A new outcome needs no content.
  CHECK(CW_MUST(bounded.conclude(3, RevisionStatus::kPendingUpgrade, "so far")));
  CHECK(shelf.status_of(3) == "pending-upgrade");
  check(bounded.pending_after(2));
  CHECK(CW_MUST(bounded.pending_after(3)) == std::nullopt);
  CHECK(bounded.supersede(3, "why").ok());
  CHECK(shelf.status_of(3) == "failed");
  const Revision revision = CW_MUST(shelf.store.load(3));
  CHECK(revision.status == RevisionStatus::kFailed);
  CHECK(revision.description == "why");
  CHECK(revision.manifest == sample().manifest);
  CHECK(revision.key == kKey);
}

TEST_CASE("A record that cannot be read now, and is larger than any, is damaged") {
  Shelf shelf;
  Value secret = encoded(sample());
  const Value bomb = secret_with(std::string(size_t{65} << 20, ' '));
  secret.mutable_dict().set("data", *bomb.find("data"));
  shelf.api.put(secret);
  RevisionStore bounded(shelf.api, shelf.call, shelf.owner, nullptr, [](const Value& /*secret*/) {
    return Error(ErrorCode::kBudget, "too much memory");
  });
  CHECK(bounded.load(3).error().code() == ErrorCode::kParse);
  CHECK_FALSE(CW_MUST(bounded.find(3)).found());
  CHECK(CW_MUST(bounded.append(sample())) == 4);
}

TEST_CASE("A revision is removed; a missing one is fine") {
  Shelf shelf;
  shelf.holds(sample());
  CHECK(shelf.store.remove(3).ok());
  CHECK(shelf.api.count("Secret") == 0);
  CHECK(shelf.store.remove(3).ok());
  shelf.holds(sample());
  shelf.api.fail_once("delete " + kThird, Error(ErrorCode::kForbidden, "no"));
  CHECK(shelf.store.remove(3).error().code() == ErrorCode::kForbidden);
  shelf.api.fail_once("get " + kThird, Error(ErrorCode::kUnavailable, "no"));
  CHECK(shelf.store.remove(3).error().code() == ErrorCode::kUnavailable);
}

TEST_CASE("A Secret of a revision's name that is not ours is let alone") {
  const auto stored = [](std::string_view owner_uid) {
    Owner owner = testing::book_owner();
    owner.uid = owner_uid;
    Value secret = CW_MUST(encode_revision(sample(), owner));
    if (owner_uid.empty()) {
      secret.find("metadata")->mutable_dict().erase("ownerReferences");  // As `helm install` does.
    }
    return secret;
  };
  for (const std::string uid : {"uid-other", ""}) {
    INFO(uid);
    Shelf shelf;
    const Value before = shelf.api.put(stored(uid));
    shelf.api.forget_calls();
    CHECK(shelf.store.supersede(3).ok());
    CHECK(shelf.store.remove(3).ok());
    CHECK(shelf.api.whats() == std::vector{"get " + kThird, "get " + kThird});
    const auto after = shelf.api.find(secret_ref("sh.helm.release.v1.books.v3"));
    REQUIRE(after);
    CHECK(CW_MUST(value::to_json(*after)) == CW_MUST(value::to_json(before)));
  }
}

TEST_CASE("A Secret that changes hands between the check and the write is let alone") {
  Shelf shelf;
  shelf.holds(sample());
  const std::string verb = GENERATE("patch ", "delete ");
  shelf.api.once(verb + kThird, [&shelf] {
    Owner stranger = testing::book_owner();
    stranger.uid = "uid-other";
    shelf.api.put(CW_MUST(encode_revision(sample(), stranger)));
    return std::nullopt;
  });
  const base::Status status = verb == "patch " ? shelf.store.supersede(3) : shelf.store.remove(3);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code() == ErrorCode::kConflict);
  CHECK(shelf.status_of(3) == "deployed");
  // The next attempt sees the new owner.
  CHECK(shelf.store.supersede(3).ok());
  CHECK(shelf.store.remove(3).ok());
  CHECK(shelf.status_of(3) == "deployed");
}

}  // namespace
}  // namespace chartwright::release
