// SPDX-License-Identifier: Apache-2.0
#include "helm/values/coalesce.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/strings.h"
#include "go/format.h"
#include "go/quote.h"
#include "helm/version/log_line.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr std::string_view kGlobal = "global";

std::string prefixed(const std::string& prefix, std::string_view key) {
  return prefix.empty() ? std::string(key) : prefix + "." + std::string(key);
}

bool is_subchart(const Chart& chart, std::string_view key) {
  return std::any_of(chart.dependencies.begin(), chart.dependencies.end(),
                     [key](const Chart& sub) { return sub.name() == key; });
}

/// Removes nulls from a dict and the dicts in it. Leaves other values unchanged.
void remove_nulls(const Value& v) {
  if (!v.is_dict()) {
    return;
  }
  std::vector<std::string> nulls;
  for (const auto& [key, member] : v.as_dict()) {
    if (member.is_nil()) {
      nulls.push_back(key);
    }
    remove_nulls(member);
  }
  for (const std::string& key : nulls) {
    v.mutable_dict().erase(key);
  }
}

/// Coalesces values as Helm does, with one rule for nulls. Warnings name keys by their full path.
class Coalescer {
 public:
  Coalescer(const Profile& profile, Warnings& warnings)
      : profile_(profile), rule_(profile.nulls), warnings_(warnings) {}

  base::Status chart(const Chart& chart, Value& dest, const std::string& prefix, Nulls nulls) {
    own_values(chart, dest, prefix, nulls);
    return dependencies(chart, dest, prefix, nulls);
  }

  /// Merges `src` into `dst`, which wins. Where `dst` has a null, `src` counts as null too, except
  /// in old versions.
  void tables(Value& dst, Value& src, const std::string& prefix, Nulls nulls) {
    if (rule_ == NullRule::kAnyDefault) {
      return old_tables(dst, src, prefix, nulls);
    }
    std::set<std::string, std::less<>> non_null_defaults;
    for (const auto& [key, v] : src.as_dict()) {
      if (!v.is_nil()) {
        non_null_defaults.insert(key);
      }
    }
    for (const auto& [key, v] : dst.as_dict()) {
      if (v.is_nil()) {
        src.mutable_dict().set(key, Value());
      }
    }
    for (const auto& [key, v] : src.as_dict()) {
      Value* present = dst.mutable_dict().find(key);
      if (present == nullptr) {
        dst.mutable_dict().set(key, v);
      } else if (nulls == Nulls::kDelete && present->is_nil() && non_null_defaults.contains(key)) {
        dst.mutable_dict().erase(key);
      } else {
        table_member(*present, v, prefixed(prefix, key), nulls);
      }
    }
  }

 private:
  void old_tables(Value& dst, const Value& src, const std::string& prefix, Nulls nulls) {
    for (const auto& [key, v] : src.as_dict()) {
      Value* present = dst.mutable_dict().find(key);
      if (present == nullptr) {
        dst.mutable_dict().set(key, v);
      } else if (nulls == Nulls::kDelete && present->is_nil()) {
        dst.mutable_dict().erase(key);
      } else {
        table_member(*present, v, prefixed(prefix, key), nulls);
      }
    }
  }

  /// Reports whether nulls of a chart's own values count as absent.
  bool cleans(Nulls nulls) const {
    return rule_ == NullRule::kCleanDefaults && nulls == Nulls::kDelete;
  }

  struct Line {
    int in_3_18;
    int in_3_22;
  };
  void warn(Line line, std::string text) {
    const LogMessage message{{"coalesce.go", line.in_3_18, line.in_3_22}, std::move(text), {}};
    warnings_.push_back(log_line(message, profile_));
  }

  void table_member(Value& present, const Value& fallback, const std::string& key, Nulls nulls) {
    if (fallback.is_dict()) {
      if (present.is_dict()) {
        Value inner = fallback;
        tables(present, inner, key, nulls);
      } else {
        warn({298, 316}, "warning: cannot overwrite table with non table for " + key + " (" +
                             go::format_value(fallback) + ")");
      }
    } else if (present.is_dict() && !fallback.is_nil()) {
      warn({301, 319}, "warning: destination for " + key +
                           " is a table. Ignoring non-table value (" + go::format_value(fallback) +
                           ")");
    }
  }

  void own_values(const Chart& chart, Value& dest, const std::string& prefix, Nulls nulls) {
    const std::string path = prefixed(prefix, chart.name());
    const Value defaults = value::deep_copy(chart.values);
    for (const auto& [key, fallback] : defaults.as_dict()) {
      Value* present = dest.mutable_dict().find(key);
      if (present == nullptr) {
        if (cleans(nulls) && fallback.is_nil()) {
          continue;
        }
        if (cleans(nulls)) {
          remove_nulls(fallback);
        }
        dest.mutable_dict().set(key, fallback);
      } else if (present->is_nil() && nulls == Nulls::kDelete) {
        dest.mutable_dict().erase(key);
      } else if (present->is_dict() && fallback.is_dict()) {
        Value src = fallback;
        const Nulls inner = is_subchart(chart, key) ? Nulls::kKeep : nulls;
        if (cleans(inner)) {
          remove_nulls(src);
        }
        tables(*present, src, prefixed(path, key), inner);
      } else if (present->is_dict() && !fallback.is_nil()) {
        warn({237, 237}, "warning: skipped value for " + path + "." + key + ": Not a table.");
      }
    }
  }

  base::Status dependencies(const Chart& chart, Value& dest, const std::string& prefix,
                            Nulls nulls) {
    for (const Chart& sub : chart.dependencies) {
      if (dest.find(sub.name()) == nullptr) {
        dest.mutable_dict().set(sub.name(), Value::dict());
      }
      Value inner = *dest.find(sub.name());
      if (!inner.is_dict()) {
        return base::Error(
            base::ErrorCode::kInvalidArgument,
            "type mismatch on " + sub.name() + ": " + go::sprintf("%t", std::array{inner}));
      }
      const std::string path = prefixed(prefix, chart.name());
      globals(inner, dest, path);
      CW_TRY_VOID(this->chart(sub, inner, path, nulls));
    }
    return {};
  }

  /// Merges the globals of `src`, the parent, into those of the subchart `dest`. The parent's win.
  void globals(Value& dest, const Value& src, const std::string& prefix) {
    Value own = Value::dict();
    if (const Value* present = dest.find(kGlobal)) {
      if (!present->is_dict()) {
        warn({138, 138}, "warning: skipping globals because destination global is not a table.");
        return;
      }
      own = *present;
    }
    if (const Value* parents = src.find(kGlobal)) {
      if (!parents->is_dict()) {
        warn({145, 145}, "warning: skipping globals because source global is not a table.");
        return;
      }
      for (const auto& [key, v] : parents->as_dict()) {
        if (auto global = global_member(own, key, v, prefix)) {
          own.mutable_dict().set(key, *std::move(global));
        }
      }
    }
    dest.mutable_dict().set(kGlobal, own);
  }

  /// Returns the new value of `key` in the subchart's globals if the parent has `v`; nullopt to
  /// keep the present value.
  std::optional<Value> global_member(const Value& own, const std::string& key, const Value& v,
                                     const std::string& prefix) {
    const Value* present = own.find(key);
    if (!v.is_dict()) {
      if (present != nullptr && present->is_dict()) {
        warn({175, 175}, "key " + key + " is table. Skipping");
        return std::nullopt;
      }
      return v;
    }
    Value copy = Value::dict(std::make_shared<value::Dict>(v.as_dict()));
    if (present != nullptr) {
      if (!present->is_dict()) {
        warn({161, 161},
             "Conflict: cannot merge map onto non-map for " + go::quote(key) + ". Skipping.");
        return std::nullopt;
      }
      Value src = *present;
      tables(copy, src, prefixed(prefix, key), Nulls::kKeep);
    }
    return copy;
  }

  const Profile& profile_;
  NullRule rule_;
  Warnings& warnings_;
};

}  // namespace

base::Result<Value> coalesce_values(const Chart& chart, const Value& values, CoalesceRules rules,
                                    Warnings& warnings) {
  Value dest = values.is_dict() ? value::deep_copy(values) : Value::dict();
  dest = dest.with_type(rules.profile.values_type);
  CW_TRY_VOID(Coalescer(rules.profile, warnings).chart(chart, dest, "", rules.nulls));
  return dest;
}

void merge_tables(Value& dst, Value src, CoalesceRules rules, Warnings& warnings) {
  Coalescer(rules.profile, warnings).tables(dst, src, "", rules.nulls);
}

const Value* table_at(const Value& values, std::string_view path) {
  const Value* at = &values;
  for (std::string_view key : base::split(path, '.')) {
    at = at->find(key);
    if (at == nullptr || !at->is_dict()) {
      return nullptr;
    }
  }
  return at;
}

const Value* scalar_at(const Value& values, std::string_view path) {
  const size_t dot = path.rfind('.');
  const Value* table =
      dot == std::string_view::npos ? &values : table_at(values, path.substr(0, dot));
  const Value* found = table != nullptr ? table->find(path.substr(dot + 1)) : nullptr;
  return found != nullptr && !found->is_dict() ? found : nullptr;
}

}  // namespace chartwright::helm
