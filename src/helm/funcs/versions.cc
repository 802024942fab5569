// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helm/funcs/caches.h"
#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"
#include "helm/version/semver.h"

// Source: Masterminds/sprig v3.3.0 semver.go; the methods are those of semver v3.5.0 version.go.
namespace chartwright::helm::funcs {
namespace {

using value::IntType;

enum class Holder : uint8_t {
  kPointer,  ///< *semver.Version, as semver returns: all methods can be called.
  kStruct    ///< semver.Version, as its methods return: no methods with pointer receivers.
};

class VersionValue;
Value make_version(Version version, Holder holder);

// A method: its name, its number of parameters, and whether its receiver is a pointer.
struct VersionMethod {
  std::string_view name;
  int arity;
  bool on_pointer;
  Result<Value> (*call)(const Version&, Args);
};

base::Error wrong_argument(std::string_view expected) {
  return failure("wrong type for value; expected " + std::string(expected));
}

Result<int> compare_to(const Version& version, Args args);

std::string_view part_name(uint64_t Version::*part) {
  if (part == &Version::major) {
    return "major";
  }
  return part == &Version::minor ? "minor" : "patch";
}

Result<Value> next_version(const Version& version, uint64_t Version::*part) {
  Version next;
  next.release = version.release;
  next.major = version.major;
  next.minor = part == &Version::major ? 0 : version.minor;
  next.patch = part == &Version::patch ? version.patch : 0;
  // The version after a prerelease is its release, which has the same patch number.
  if (part != &Version::patch || version.prerelease.empty()) {
    if (next.*part == UINT64_MAX && version.release >= SemverRelease::k3_5) {
      return failure(std::string(part_name(part)) + " version increment would overflow uint64");
    }
    ++(next.*part);
  }
  next.original = (version.original.starts_with('v') ? "v" : "") + next.to_string();
  return make_version(std::move(next), Holder::kStruct);
}

Result<Value> with_suffix(const Version& version, Args args, std::string Version::*part) {
  if (!args[0].is_string()) {
    return wrong_argument("string");
  }
  Version changed = version;
  changed.*part = args[0].as_string();
  if (!(changed.*part).empty()) {
    CW_TRY_VOID(part == &Version::prerelease
                    ? Version::check_prerelease(changed.prerelease, version.release)
                    : Version::check_metadata(changed.metadata, version.release));
  }
  changed.original = (version.original.starts_with('v') ? "v" : "") + changed.to_string();
  return make_version(std::move(changed), Holder::kStruct);
}

Value unsigned_integer(uint64_t i) {
  return Value::integer(static_cast<int64_t>(i), IntType::kUint64);
}

template <typename Predicate>
Result<Value> compared(const Version& version, Args args, Predicate predicate) {
  CW_TRY(const int order, compare_to(version, args));
  return Value::boolean(predicate(order));
}

constexpr VersionMethod kVersionMethods[] = {
    {"Major", 0, false,
     [](const Version& v, Args) -> Result<Value> { return unsigned_integer(v.major); }},
    {"Minor", 0, false,
     [](const Version& v, Args) -> Result<Value> { return unsigned_integer(v.minor); }},
    {"Patch", 0, false,
     [](const Version& v, Args) -> Result<Value> { return unsigned_integer(v.patch); }},
    {"Prerelease", 0, false,
     [](const Version& v, Args) -> Result<Value> { return Value::string(v.prerelease); }},
    {"Metadata", 0, false,
     [](const Version& v, Args) -> Result<Value> { return Value::string(v.metadata); }},
    {"String", 0, false,
     [](const Version& v, Args) -> Result<Value> { return Value::string(v.to_string()); }},
    {"Original", 0, true,
     [](const Version& v, Args) -> Result<Value> { return Value::string(v.original); }},
    {"IncMajor", 0, false, [](const Version& v, Args) { return next_version(v, &Version::major); }},
    {"IncMinor", 0, false, [](const Version& v, Args) { return next_version(v, &Version::minor); }},
    {"IncPatch", 0, false, [](const Version& v, Args) { return next_version(v, &Version::patch); }},
    {"SetPrerelease", 1, false,
     [](const Version& v, Args a) { return with_suffix(v, a, &Version::prerelease); }},
    {"SetMetadata", 1, false,
     [](const Version& v, Args a) { return with_suffix(v, a, &Version::metadata); }},
    {"Compare", 1, true,
     [](const Version& v, Args a) -> Result<Value> {
       CW_TRY(const int order, compare_to(v, a));
       return Value::integer(order, IntType::kInt);
     }},
    {"Equal", 1, true,
     [](const Version& v, Args a) { return compared(v, a, [](int o) { return o == 0; }); }},
    {"LessThan", 1, true,
     [](const Version& v, Args a) { return compared(v, a, [](int o) { return o < 0; }); }},
    {"LessThanEqual", 1, true,
     [](const Version& v, Args a) { return compared(v, a, [](int o) { return o <= 0; }); }},
    {"GreaterThan", 1, true,
     [](const Version& v, Args a) { return compared(v, a, [](int o) { return o > 0; }); }},
    {"GreaterThanEqual", 1, true,
     [](const Version& v, Args a) { return compared(v, a, [](int o) { return o >= 0; }); }},
};

class VersionValue final : public value::Native {
 public:
  VersionValue(Version version, Holder holder) : version_(std::move(version)), holder_(holder) {}
  const Version& version() const { return version_; }
  Holder holder() const { return holder_; }

  std::string_view go_type() const override {
    return holder_ == Holder::kPointer ? "*semver.Version" : "semver.Version";
  }
  std::string_view go_kind() const override {
    return holder_ == Holder::kPointer ? "ptr" : "struct";
  }
  std::optional<Value> field(std::string_view /*name*/) const override { return std::nullopt; }
  int method_arity(std::string_view name) const override {
    const VersionMethod* method = find(name);
    return method != nullptr ? method->arity : -1;
  }
  Result<Value> call(std::string_view name, Args args) const override {
    const VersionMethod* method = find(name);
    return method != nullptr ? method->call(version_, args) : Native::call(name, args);
  }
  std::string to_string() const override { return version_.to_string(); }
  bool is_stringer() const override { return true; }
  std::vector<Member> members() const override {
    return {{"major", unsigned_integer(version_.major)},
            {"minor", unsigned_integer(version_.minor)},
            {"patch", unsigned_integer(version_.patch)},
            {"pre", Value::string(version_.prerelease)},
            {"metadata", Value::string(version_.metadata)},
            {"original", Value::string(version_.original)}};
  }
  /// A copy has no fields set, since all of them are private in Go.
  std::shared_ptr<const Native> deep_copied() const override {
    return std::make_shared<const VersionValue>(Version(), holder_);
  }
  Result<Value> to_json_value() const override { return Value::string(version_.to_string()); }

 private:
  const VersionMethod* find(std::string_view name) const {
    for (const VersionMethod& method : kVersionMethods) {
      if (method.name == name && (holder_ == Holder::kPointer || !method.on_pointer)) {
        return &method;
      }
    }
    return nullptr;
  }

  Version version_;
  Holder holder_;
};

Value make_version(Version version, Holder holder) {
  return Value::native(std::make_shared<const VersionValue>(std::move(version), holder));
}

Result<int> compare_to(const Version& version, Args args) {
  const auto* other =
      args[0].is_native() ? dynamic_cast<const VersionValue*>(&args[0].as_native()) : nullptr;
  if (other == nullptr || other->holder() != Holder::kPointer) {
    return wrong_argument("*semver.Version");
  }
  return version.compare(other->version());
}

template <SemverRelease kRelease>
Result<Value> semver(std::string_view text) {
  CW_TRY(Version version, Version::parse(text, kRelease));
  return make_version(std::move(version), Holder::kPointer);
}

template <SemverRelease kRelease>
Result<bool> semver_compare(CallContext& ctx, std::string_view constraint,
                            std::string_view version) {
  CW_TRY(const Constraints constraints, caches_of(ctx).constraints.parse(constraint, kRelease));
  CW_TRY(const Version parsed, Version::parse(version, kRelease));
  return constraints.check(parsed);
}

template <SemverRelease kRelease>
void add_functions(Table& table) {
  table.add("semver", semver<kRelease>);
  table.add("semverCompare", semver_compare<kRelease>);
}

}  // namespace

void add_versions(Table& table) { add_functions<SemverRelease::k3_5>(table); }

void add_versions_of(SemverRelease release, Table& table) {
  switch (release) {
    case SemverRelease::k3_3:
      add_functions<SemverRelease::k3_3>(table);
      break;
    case SemverRelease::k3_4:
      add_functions<SemverRelease::k3_4>(table);
      break;
    case SemverRelease::k3_5:
      add_functions<SemverRelease::k3_5>(table);
      break;
  }
}

}  // namespace chartwright::helm::funcs
