// SPDX-License-Identifier: Apache-2.0
#include "release/revision.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "base/strings.h"
#include "release/apply.h"
#include "release/gzip.h"
#include "release/keyed_digest.h"
#include "value/json.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// Helm's own limit on release names; longer custom resource names are cut and distinguished by a
// hash.
constexpr size_t kNameMax = 53;
constexpr size_t kNameHashChars = 9;
// A Secret holds 1 MiB; base64 inside it takes another third.
constexpr size_t kRecordBytesMax = size_t{1} << 20;
// A status and a description that a record may get later, such as the reason of a failure.
constexpr size_t kRoomForOutcome = size_t{8} << 10;
constexpr size_t kUnpackedBytesMax = size_t{64} << 20;
constexpr int kAppendTries = 5;
// Helm keeps ten revisions unless it is told otherwise; older ones stay as they are.
constexpr size_t kClaimsMax = 20;
// Far more than counting can reach: a larger number is from a damaged or foreign record.
constexpr int64_t kNumberMax = 1'000'000'000;

constexpr std::array kStatusNames = {"deployed",        "superseded",      "failed",
                                     "pending-install", "pending-upgrade", "pending-rollback",
                                     "uninstalling",    "uninstalled",     "unknown"};

kube::Gvk secret_gvk() { return {"", "v1", "Secret"}; }

std::string record_name(const std::string& cr_name) {
  if (cr_name.size() <= kNameMax) {
    return cr_name;
  }
  std::string head = cr_name.substr(0, kNameMax - kNameHashChars - 1);
  // A DNS label must not begin with the "-" before the hash.
  head.resize(head.find_last_not_of(".-") + 1);
  return head + "-" + base::sha256_hex(cr_name).substr(0, kNameHashChars);
}

std::string secret_name(const std::string& cr_name, int number) {
  return "sh.helm.release.v1." + record_name(cr_name) + ".v" + std::to_string(number);
}

constexpr size_t base64_size(size_t bytes) { return (bytes + 2) / 3 * 4; }

Value text(std::string_view s) { return Value::string(s); }

Value record_json(const Revision& revision, const Owner& owner) {
  Value info = Value::dict({{"first_deployed", text(base::format_rfc3339(revision.first_deployed))},
                            {"last_deployed", text(base::format_rfc3339(revision.last_deployed))},
                            {"deleted", text("")},
                            {"description", text(revision.description)},
                            {"status", text(to_string(revision.status))}});
  if (!revision.notes.empty()) {
    info.mutable_dict().set("notes", text(revision.notes));
  }
  return Value::dict({{"name", text(record_name(owner.name))},
                      {"info", info},
                      {"config", revision.config},
                      {"manifest", text(revision.manifest)},
                      {"hooks", hooks_to_record(revision.hooks)},
                      {"version", Value::integer(revision.number)},
                      {"namespace", text(owner.release_namespace())}});
}

// Returns the record's JSON up to the files of the chart, which come last.
base::Result<std::string> begin_record(const Revision& revision, const Owner& owner) {
  CW_TRY(std::string json, value::to_json(record_json(revision, owner), value::JsonEscape::kNone));
  CW_TRY(const std::string metadata,
         value::to_json(revision.chart_metadata, value::JsonEscape::kNone));
  const Value values = revision.chart_values.is_nil() ? Value::dict() : revision.chart_values;
  CW_TRY(const std::string chart_values, value::to_json(values, value::JsonEscape::kNone));
  json.pop_back();
  json.append(R"(,"chart":{"metadata":)").append(metadata);
  json.append(R"(,"values":)").append(chart_values).append(",");
  return json;
}

// Returns a record, in base64, with as many files of the chart as fit beside the key.
base::Result<std::string> pack(const Revision& revision, const Owner& owner, size_t bytes_max) {
  CW_TRY(std::string json, begin_record(revision, owner));
  CW_TRY(const std::string begin, gzip(json));
  const std::vector<std::string> none;
  for (const std::string& end : revision.chart_files ? revision.chart_files->choices : none) {
    if (base64_size(begin.size() + end.size()) + revision.key.size() <= bytes_max) {
      return base::base64_encode(begin + end);
    }
  }
  CW_TRY(const std::string whole, gzip(json.append(end_without_files())));
  return base::base64_encode(whole);
}

Value record_labels(const Revision& revision, const Owner& owner) {
  const auto created =
      std::chrono::duration_cast<std::chrono::seconds>(revision.last_deployed.time_since_epoch());
  return Value::dict({{"createdAt", text(std::to_string(created.count()))},
                      {"name", text(record_name(owner.name))},
                      {"owner", text("helm")},
                      {"status", text(to_string(revision.status))},
                      {"version", text(std::to_string(revision.number))}});
}

base::Result<RevisionStatus> parse_status(std::string_view name) {
  const auto* it = std::find(kStatusNames.begin(), kStatusNames.end(), name);
  if (it == kStatusNames.end()) {
    return Error(ErrorCode::kParse, "unknown release status \"" + std::string(name) + "\"");
  }
  return static_cast<RevisionStatus>(it - kStatusNames.begin());
}

// Returns the number of a revision if it is plausible: records may have been written by others.
std::optional<int> revision_number(const Value& record) {
  const Value* v = record.find("version");
  if (v == nullptr || !v->is_float() || !(v->as_float() >= 1) ||
      !(v->as_float() <= static_cast<double>(kNumberMax))) {
    return std::nullopt;
  }
  const int number = static_cast<int>(v->as_float());
  return v->as_float() == number ? std::optional(number) : std::nullopt;
}

// A record, and the files of its chart.
struct Unpacked {
  Value record;
  std::shared_ptr<const PackedChart> chart_files;
};

// Reads a compressed record. The rest of one that pack() wrote is taken as it is.
base::Result<Unpacked> decompress(std::string_view packed) {
  CW_TRY(GzipMember begin, gunzip_member(packed, kUnpackedBytesMax));
  Unpacked unpacked;
  if (begin.size < packed.size()) {
    auto record =
        value::parse_json(begin.text + std::string(end_without_files()), value::Numbers::kFloat64);
    if (record.ok()) {
      auto files = std::make_shared<PackedChart>();
      files->choices.emplace_back(packed.substr(begin.size));
      return Unpacked{*std::move(record), std::move(files)};
    }
    CW_TRY(begin.text, gunzip(packed, kUnpackedBytesMax));
  }
  CW_TRY(unpacked.record, value::parse_json(begin.text, value::Numbers::kFloat64));
  return unpacked;
}

base::Result<Unpacked> unpack(const Value& secret) {
  CW_TRY(std::string once, base::base64_decode(secret.string_at({"data", "release"})));
  CW_TRY(std::string packed, base::base64_decode(once));
  Unpacked unpacked;
  if (packed.starts_with("\x1f\x8b")) {
    CW_TRY(unpacked, decompress(packed));
  } else {  // Helm still reads uncompressed records of older versions; so do we.
    CW_TRY(unpacked.record, value::parse_json(packed, value::Numbers::kFloat64));
  }
  if (const Value* chart = unpacked.record.find("chart"); chart && !unpacked.chart_files) {
    CW_TRY(unpacked.chart_files, pack_chart(*chart));
  }
  return unpacked;
}

// Returns the key if it is one of ours, otherwise "".
std::string key_in(const Value& secret) {
  auto key = base::base64_decode(secret.string_at({"data", "key"}));
  return key.ok() && key->size() == kKeyBytes ? *std::move(key) : std::string();
}

Value member_or_nil(const Value& record, std::initializer_list<std::string_view> path) {
  const Value* v = record.find_path(path);
  return v == nullptr ? Value() : *v;
}

// The number in the label of a record, 0 where that has none.
int labelled_number(const Value& secret) {
  const auto label = kube::label_of(secret, "version");
  const auto number = label ? base::parse_int(*label) : std::nullopt;
  return number && *number >= 0 && *number <= kNumberMax ? static_cast<int>(*number) : 0;
}

enum class Holder : uint8_t {
  kUs,
  kNobody,
  kPredecessor,  // A custom resource of the same name that was deleted; its records will follow.
  kOther,
};

Holder holder_of(const Value& secret, const Owner& owner) {
  if (kube::is_owned_by(secret, owner.uid)) {
    return Holder::kUs;
  }
  for (const kube::OwnerReference& reference : kube::owner_references_of(secret)) {
    if (reference.controller) {
      const kube::Gvk gvk = kube::Gvk::from_api_version(reference.api_version, reference.kind);
      const bool is_namesake = gvk.group_kind() == owner.gvk.group_kind();
      return is_namesake && reference.name == owner.name ? Holder::kPredecessor : Holder::kOther;
    }
  }
  return Holder::kNobody;
}

// Two releases of one name would number and supersede the records of each other.
Error name_is_taken(const Value& secret, const std::string& by) {
  return Error(ErrorCode::kOwnership, "the name of the release is taken: Secret " +
                                          std::string(kube::namespace_of(secret)) + "/" +
                                          std::string(kube::name_of(secret)) + " is a record of " +
                                          by);
}

base::Result<Value> encode(const Revision& revision, const Owner& owner, size_t bytes_max) {
  CW_TRY(const std::string packed, pack(revision, owner, bytes_max));
  const size_t bytes = packed.size() + revision.key.size();
  if (bytes > bytes_max) {
    return Error(ErrorCode::kBudget, "revision " + std::to_string(revision.number) +
                                         " does not fit a Secret: " + std::to_string(bytes) +
                                         " bytes compressed, at most " + std::to_string(bytes_max));
  }
  Value metadata = Value::dict({{"labels", record_labels(revision, owner)},
                                {"name", text(secret_name(owner.name, revision.number))},
                                {"namespace", text(owner.release_namespace())},
                                {"ownerReferences", Value::list({owner_reference(owner)})}});
  Value data = Value::dict({{"release", text(base::base64_encode(packed))}});
  if (!revision.key.empty()) {
    data.mutable_dict().set("key", text(base::base64_encode(revision.key)));
  }
  return Value::dict({{"apiVersion", text("v1")},
                      {"kind", text("Secret")},
                      {"metadata", metadata},
                      {"type", text("helm.sh/release.v1")},
                      {"data", data}});
}

bool has_same_content(const Revision& stored, const Revision& wanted) {
  return stored.manifest == wanted.manifest && stored.hooks == wanted.hooks &&
         stored.status == wanted.status;
}

}  // namespace

bool is_pending(RevisionStatus status) {
  return status == RevisionStatus::kPendingInstall || status == RevisionStatus::kPendingUpgrade ||
         status == RevisionStatus::kPendingRollback;
}

std::optional<RevisionStatus> outcome_of_abandoned(RevisionStatus status) {
  if (status == RevisionStatus::kDeployed) {
    return RevisionStatus::kSuperseded;
  }
  const bool is_unfinished = is_pending(status) || status == RevisionStatus::kUninstalling;
  return is_unfinished ? std::optional(RevisionStatus::kFailed) : std::nullopt;
}

std::string_view to_string(RevisionStatus status) {
  return kStatusNames[static_cast<size_t>(status)];
}

base::Result<Value> encode_revision(const Revision& revision, const Owner& owner) {
  return encode(revision, owner, kRecordBytesMax - kRoomForOutcome);
}

base::Result<Revision> decode_revision(const Value& secret) {
  CW_TRY(const Unpacked unpacked, unpack(secret));
  const Value& record = unpacked.record;
  Revision revision;
  const auto number = revision_number(record);
  const Value* manifest = record.find("manifest");
  if (!number || manifest == nullptr || !manifest->is_string()) {
    return Error(ErrorCode::kParse, "not a Helm release record");
  }
  revision.number = *number;
  revision.manifest = manifest->as_string();
  CW_TRY(revision.status, parse_status(record.string_at({"info", "status"})));
  if (const Value* hooks = record.find("hooks")) {
    revision.hooks = hooks_from_record(*hooks);
  }
  revision.description = record.string_at({"info", "description"});
  revision.notes = record.string_at({"info", "notes"});
  const Value* config = record.find("config");  // Helm leaves an empty one out.
  revision.config = config == nullptr || config->is_nil() ? Value::dict() : *config;
  revision.chart_metadata = member_or_nil(record, {"chart", "metadata"});
  revision.chart_values = member_or_nil(record, {"chart", "values"});
  revision.chart_files = unpacked.chart_files;
  auto time = [&record](std::string_view key) {
    return base::parse_rfc3339(record.string_at({"info", key})).value_or({});
  };
  revision.first_deployed = time("first_deployed");
  revision.last_deployed = time("last_deployed");
  revision.key = key_in(secret);
  return revision;
}

RevisionStore::RevisionStore(kube::Client& client, const kube::Call& call, const Owner& owner,
                             Decode decode)
    : client_(client), call_(call), owner_(owner), decode_(std::move(decode)) {}

kube::ObjectRef RevisionStore::ref(int number) const {
  return {secret_gvk(), owner_.release_namespace(), secret_name(owner_.name, number)};
}

base::Result<Revision> RevisionStore::load(int number) {
  CW_TRY(Value secret, client_.get(ref(number), call_));
  return decode_(secret);
}

base::Result<int> RevisionStore::append(Revision revision) {
  CW_TRY(Value secret, encode_revision(revision, owner_));
  return append(EncodedRevision{std::move(revision), std::move(secret)}, 0);
}

base::Result<int> RevisionStore::append(EncodedRevision encoded, int deployed) {
  Revision& revision = encoded.revision;
  CW_TRY(const bool as_we_left_it, is_deployed(deployed));
  if (!as_we_left_it) {
    // Helm deletes old records: a free number does not show that nobody has used it.
    CW_TRY(std::vector<Value> secrets, list());
    if (!secrets.empty() && labelled_number(secrets.front()) > revision.number) {
      CW_TRY_VOID(pass_over(encoded, std::move(secrets)));
    }
  }
  for (int i = 0; i < kAppendTries; ++i) {
    auto created = client_.create(encoded.secret, short_reply(), call_);
    if (created.ok()) {
      return revision.number;
    }
    if (created.error().code() != ErrorCode::kAlreadyExists) {
      return std::move(created).error();
    }
    auto existing = client_.get(ref(revision.number), call_);
    if (!existing.ok() && existing.error().code() == ErrorCode::kNotFound) {
      continue;  // It was deleted meanwhile: the number is free again.
    }
    CW_TRY(const Value taken, std::move(existing));
    CW_TRY(const std::optional<Revision> stored, read_if_ours(taken));
    if (stored && has_same_content(*stored, revision)) {
      if (stored->key != revision.key) {
        // A key of a process that has ended is not needed; a key of another writer would be known
        // to that writer.
        CW_TRY_VOID(set_key(revision.number, taken, revision.key));
      }
      return revision.number;
    }
    CW_TRY(std::vector<Value> secrets, list());
    CW_TRY_VOID(pass_over(encoded, std::move(secrets)));
  }
  return Error(ErrorCode::kConflict, "somebody else keeps adding revisions of " + owner_.name);
}

base::Result<bool> RevisionStore::is_deployed(int number) {
  if (number == 0) {
    return true;
  }
  CW_TRY(std::optional<Value> secret, owned(number));
  const auto status = secret ? kube::label_of(*secret, "status") : std::nullopt;
  if (status != to_string(RevisionStatus::kDeployed)) {
    return false;
  }
  read_.emplace(number, *std::move(secret));
  return true;
}

// Concludes the records that have taken the number of the revision, or a later one.
base::Status RevisionStore::pass_over(EncodedRevision& encoded, std::vector<Value> secrets) {
  Revision& revision = encoded.revision;
  CW_TRY_VOID(claim(secrets, revision.chart_metadata.string_at({"name"})));
  int last = revision.number;
  for (const Value& secret : secrets) {
    const int number = labelled_number(secret);
    last = std::max(last, number);
    if (number >= revision.number && holder_of(secret, owner_) == Holder::kUs) {
      CW_TRY_VOID(supersede(number));
    }
  }
  revision.number = last + 1;
  CW_TRY(encoded.secret, encode_revision(revision, owner_));
  return {};
}

base::Result<std::vector<Value>> RevisionStore::list() {
  kube::ListOptions options;
  options.selection = {owner_.release_namespace(), "owner=helm,name=" + record_name(owner_.name),
                       ""};
  CW_TRY(auto page, client_.list(secret_gvk(), options, call_));
  std::sort(page.items.begin(), page.items.end(),
            [](const Value& a, const Value& b) { return labelled_number(a) > labelled_number(b); });
  return std::move(page.items);
}

base::Status RevisionStore::claim(std::vector<Value>& secrets, std::string_view chart) {
  size_t left = kClaimsMax;
  for (Value& secret : secrets) {
    const Holder holder = holder_of(secret, owner_);
    if (holder == Holder::kOther) {
      return name_is_taken(secret, describe_owner(secret) + "; rename one of the two");
    }
    if (holder == Holder::kNobody && left > 0) {
      --left;
      CW_TRY(secret, claim_one(secret, chart));
    }
  }
  return {};
}

// Other Secrets stay as they are, and so do records of another chart that have ended.
base::Result<Value> RevisionStore::claim_one(const Value& secret, std::string_view chart) {
  auto revision = decode_(secret);
  if (!revision.ok()) {
    return revision.error().code() == ErrorCode::kCancelled
               ? base::Result<Value>(std::move(revision).error())
               : base::Result<Value>(secret);
  }
  const std::string_view theirs = revision->chart_metadata.string_at({"name"});
  if (kube::name_of(secret) != secret_name(owner_.name, revision->number)) {
    return secret;
  }
  if (theirs == chart) {
    Value metadata = Value::dict({{"ownerReferences", Value::list({owner_reference(owner_)})}});
    CW_TRY(const Value claimed,
           merge(revision->number, secret, Value::dict({{"metadata", metadata}})));
    Value ours = Value::dict({{"data", *secret.find("data")}});
    ours.mutable_dict().set("metadata", *claimed.find("metadata"));
    return ours;
  }
  if (!theirs.empty() && outcome_of_abandoned(revision->status)) {
    return name_is_taken(secret, "a release of the chart " + std::string(theirs) +
                                     "; uninstall it, or rename the custom resource");
  }
  return secret;
}

base::Result<std::vector<Revision>> RevisionStore::load_all(size_t limit, std::string_view chart) {
  CW_TRY(std::vector<Value> secrets, list());
  CW_TRY_VOID(claim(secrets, chart));
  std::vector<Revision> revisions;
  for (const Value& secret : secrets) {
    if (revisions.size() == limit) {
      break;
    }
    CW_TRY(std::optional<Revision> revision, read_if_ours(secret));
    // Its other requests go by the name of the Secret.
    if (revision && kube::name_of(secret) == secret_name(owner_.name, revision->number)) {
      revisions.push_back(*std::move(revision));
    }
  }
  return revisions;
}

base::Result<std::optional<Revision>> RevisionStore::pending_after(int number) {
  CW_TRY(const std::vector<Value> secrets, list());
  for (const Value& secret : secrets) {
    if (labelled_number(secret) <= number) {
      break;
    }
    CW_TRY(std::optional<Revision> revision, read_if_ours(secret));
    if (revision && is_pending(revision->status) && !revision->key.empty()) {
      return revision;
    }
  }
  return std::optional<Revision>();
}

base::Result<std::optional<Value>> RevisionStore::owned(int number) {
  if (read_ && read_->first == number) {
    return std::optional<Value>(std::exchange(read_, std::nullopt)->second);
  }
  auto secret = client_.get(ref(number), call_);
  if (!secret.ok()) {
    if (secret.error().code() == ErrorCode::kNotFound) {
      return std::optional<Value>();
    }
    return std::move(secret).error();
  }
  // The name has nothing but the number; Helm and custom resources of other kinds use it as well.
  return kube::is_owned_by(*secret, owner_.uid) ? std::optional(*std::move(secret)) : std::nullopt;
}

base::Result<std::optional<Revision>> RevisionStore::read_if_ours(const Value& secret) {
  if (!kube::is_owned_by(secret, owner_.uid)) {
    return std::optional<Revision>();
  }
  auto revision = decode_(secret);
  if (!revision.ok() && revision.error().code() == ErrorCode::kCancelled) {
    return std::move(revision).error();
  }
  return revision.ok() ? std::optional(*std::move(revision)) : std::nullopt;
}

base::Status RevisionStore::supersede(int number, const std::string& why) {
  CW_TRY_DISCARD(change(number, [&why](Revision& revision) {
    const auto outcome = outcome_of_abandoned(revision.status);
    if (outcome == RevisionStatus::kFailed) {
      revision.description = why;
    }
    revision.status = outcome.value_or(revision.status);
    return outcome.has_value();
  }));
  return {};
}

base::Result<bool> RevisionStore::conclude(int number, RevisionStatus status,
                                           const std::string& description) {
  return change(number, [status, &description](Revision& revision) {
    const bool differs = revision.status != status || revision.description != description;
    revision.status = status;
    revision.description = description;
    return differs;
  });
}

// A record that was made unreadable must not prevent new ones.
base::Result<bool> RevisionStore::change(int number, const std::function<bool(Revision&)>& edit) {
  CW_TRY(const std::optional<Value> secret, owned(number));
  if (!secret) {
    return false;
  }
  CW_TRY(std::optional<Revision> revision, read_if_ours(*secret));
  if (!revision || !edit(*revision)) {
    return revision.has_value();
  }
  CW_TRY(Value encoded, encode(*revision, owner_, kRecordBytesMax));
  Value metadata = Value::dict({{"labels", *encoded.find_path({"metadata", "labels"})}});
  auto merged = merge(number, *secret,
                      Value::dict({{"data", *encoded.find("data")}, {"metadata", metadata}}));
  if (!merged.ok() && merged.error().code() == ErrorCode::kNotFound) {
    return false;  // It was deleted meanwhile.
  }
  CW_TRY_DISCARD(std::move(merged));
  return true;
}

base::Result<std::string> RevisionStore::rekey(int number, const std::string& key,
                                               const IsKnown& is_known) {
  CW_TRY(const std::optional<Value> secret, owned(number));
  if (!secret) {
    return std::string();
  }
  CW_TRY(const std::optional<Revision> revision, read_if_ours(*secret));
  if (!revision || !is_known(revision->manifest)) {
    return std::string();
  }
  CW_TRY_VOID(set_key(number, *secret, key));
  return keyed_digest(key, revision->manifest);
}

base::Status RevisionStore::set_key(int number, const Value& secret, const std::string& key) {
  Value data = Value::dict({{"key", text(base::base64_encode(key))}});
  CW_TRY_DISCARD(merge(number, secret, Value::dict({{"data", data}, {"metadata", Value::dict()}})));
  return {};
}

base::Result<Value> RevisionStore::merge(int number, const Value& secret, Value change) {
  // Restricts the patch to the version whose owner was checked.
  value::Dict& metadata = change.find("metadata")->mutable_dict();
  metadata.set("resourceVersion", text(kube::resource_version_of(secret)));
  metadata.set("uid", text(kube::uid_of(secret)));
  return client_.patch(ref(number), {kube::PatchType::kMerge, change}, short_reply(), call_);
}

base::Status RevisionStore::remove(int number) {
  CW_TRY(const std::optional<Value> secret, owned(number));
  if (!secret) {
    return {};
  }
  kube::DeleteOptions options;
  options.uid = kube::uid_of(*secret);
  options.resource_version = kube::resource_version_of(*secret);
  auto status = client_.remove(ref(number), options, call_);
  if (!status.ok() && status.error().code() == ErrorCode::kNotFound) {
    return {};
  }
  return status;
}

}  // namespace chartwright::release
