// SPDX-License-Identifier: Apache-2.0
#include "process/master_key.h"

#include <filesystem>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "base/strings.h"
#include "fields/manager.h"
#include "release/owner.h"
#include "runtime/pause.h"

namespace chartwright::process {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

constexpr size_t kKeyBytes = 32;
constexpr size_t kKeyChars = 2 * kKeyBytes;
constexpr std::string_view kMember = "key";
constexpr base::Duration kKeyRetry = std::chrono::seconds(1);

base::Result<std::string> new_key() {
  CW_TRY(const std::string bytes, base::random_bytes(kKeyBytes));
  return base::hex_encode(bytes);
}

bool is_key(std::string_view text) {
  return text.size() == kKeyChars &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

base::Result<std::string> key_in(const Value& secret, const kube::ObjectRef& ref) {
  auto key = base::base64_decode(secret.string_at({"data", kMember}));
  if (!key.ok() || !is_key(*key)) {
    return Error(ErrorCode::kInvalidArgument,
                 ref.to_string() + " has no key of " + std::to_string(kKeyChars) +
                     " hexadecimal digits as \"" + std::string(kMember) + "\"")
        .with_help(
            "Restore it, or delete it: then another key is made, and records that were "
            "signed with the old one have to be confirmed.");
  }
  return key;
}

Value secret_with(const std::string& key, const kube::ObjectRef& ref) {
  const Value labels =
      Value::dict({{std::string(release::kManagedByLabel), Value::string("chartwright")}});
  return Value::dict(
      {{"apiVersion", Value::string("v1")},
       {"kind", Value::string("Secret")},
       {"metadata", Value::dict({{"name", Value::string(ref.name)},
                                 {"namespace", Value::string(ref.ns)},
                                 {"labels", labels}})},
       {"type", Value::string(kMasterKeyType)},
       {"immutable", Value::boolean(true)},
       {"data", Value::dict({{std::string(kMember), Value::string(base::base64_encode(key))}})}});
}

// Replicas that start together make one key: the one that comes second reads it.
base::Result<std::string> key_of_secret(kube::Client& client, const kube::ObjectRef& ref,
                                        const kube::Call& call) {
  auto secret = client.get(ref, call);
  if (!secret.ok() && secret.error().code() == ErrorCode::kNotFound) {
    CW_TRY(std::string key, new_key());
    auto created = client.create(secret_with(key, ref),
                                 {.field_manager = std::string(fields::kFieldManager)}, call);
    if (created.ok()) {
      return key;
    }
    if (created.error().code() != ErrorCode::kAlreadyExists) {
      return std::move(created).error();
    }
    secret = client.get(ref, call);
  }
  CW_TRY(const Value found, std::move(secret));
  return key_in(found, ref);
}

// A link either makes the whole file or finds one that is there.
base::Result<std::string> make_key_file(const std::string& path) {
  CW_TRY(const std::string key, new_key());
  CW_TRY(const std::string chance, base::random_bytes(8));
  const std::string partial = path + "." + base::hex_encode(chance);
  {
    CW_TRY(base::NoteFile file, base::NoteFile::create(partial));
    CW_TRY_VOID(file.write(key));
  }
  std::error_code failed;
  std::filesystem::create_hard_link(partial, path, failed);
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  if (failed && failed != std::errc::file_exists) {
    return Error(ErrorCode::kInternal, "link " + path + ": " + failed.message());
  }
  return key;
}

base::Result<std::string> key_of_file(const std::string& folder) {
  constexpr size_t kFileBytesMax = 4096;
  const std::string path = folder + "/master-key";
  auto text = base::read_file(path, kFileBytesMax);
  if (!text.ok() && text.error().code() == ErrorCode::kNotFound) {
    CW_TRY_DISCARD(make_key_file(path));
    text = base::read_file(path, kFileBytesMax);
  }
  CW_TRY(const std::string content, std::move(text));
  const std::string key(base::trim(content));
  if (!is_key(key)) {
    return Error(ErrorCode::kInvalidArgument,
                 path + " is not a key of " + std::to_string(kKeyChars) + " hexadecimal digits");
  }
  return key;
}

bool is_transient(const Error& error) {
  return error.code() != ErrorCode::kForbidden && error.code() != ErrorCode::kInvalidArgument &&
         error.code() != ErrorCode::kNotFound && error.code() != ErrorCode::kInvalid;
}

base::Result<std::string> key_for_now(const Error& error, const base::Logger& log) {
  if (error.code() == ErrorCode::kInvalidArgument) {
    return error;
  }
  log.error(
      "The key of signatures cannot be kept, and ends with this process: later ones believe no "
      "record that it writes until the cluster or the chart confirms it",
      error);
  return new_key();
}

}  // namespace

base::Result<std::string> obtain_master_key(kube::Client& client, const KeyPlace& place,
                                            base::Clock& clock, const base::Logger& log,
                                            const std::stop_token& stop) {
  if (place.secret.name.empty()) {
    auto key = key_of_file(place.folder);
    return key.ok() ? std::move(key) : key_for_now(key.error(), log);
  }
  std::string last;
  while (true) {
    auto key = key_of_secret(client, place.secret, {.stop = stop});
    if (key.ok() || stop.stop_requested()) {
      return key;
    }
    if (!is_transient(key.error())) {
      return key_for_now(key.error(), log);
    }
    if (std::exchange(last, key.error().message()) != key.error().message()) {
      log.error("The key of signatures cannot be read, waiting", key.error());
    }
    runtime::pause(clock, kKeyRetry, stop);
  }
}

}  // namespace chartwright::process
