// SPDX-License-Identifier: Apache-2.0
#include "process/key_guard.h"

#include <utility>

#include "process/master_key.h"

namespace chartwright::process {

using base::Error;
using base::ErrorCode;
using value::Value;

// The type tells the keys of other operators, too; metadata alone has none.
bool KeyGuard::hides(const Value& object) const {
  return object.string_at({"type"}) == kMasterKeyType || hides(kube::ref_of(object));
}

base::Status KeyGuard::check(const kube::ObjectRef& ref) const {
  if (!hides(ref)) {
    return {};
  }
  return Error(ErrorCode::kForbidden,
               ref.to_string() + " has the key of the operator: no chart may use it");
}

base::Result<Value> KeyGuard::get(const kube::ObjectRef& ref, const kube::Call& call) {
  CW_TRY_VOID(check(ref));
  CW_TRY(Value object, client_.get(ref, call));
  if (kube::is_secret(ref.gvk) && hides(object)) {
    return Error(ErrorCode::kForbidden, ref.to_string() + " has the key of an operator");
  }
  return object;
}

base::Result<kube::ListPage> KeyGuard::list(const kube::Gvk& gvk, const kube::ListOptions& options,
                                            const kube::Call& call) {
  CW_TRY(kube::ListPage page, client_.list(gvk, options, call));
  if (kube::is_secret(gvk)) {
    std::erase_if(page.items, [this](const Value& object) { return hides(object); });
  }
  return page;
}

base::Status KeyGuard::watch(const kube::Gvk& gvk, const kube::WatchOptions& options,
                             std::stop_token stop, const kube::WatchSink& sink) {
  if (!kube::is_secret(gvk)) {
    return client_.watch(gvk, options, std::move(stop), sink);
  }
  return client_.watch(gvk, options, std::move(stop), [this, &sink](kube::WatchFrame frame) {
    if (frame.type != kube::WatchFrame::Type::kBookmark && hides(frame.object)) {
      return base::Status();
    }
    return sink(std::move(frame));
  });
}

base::Result<Value> KeyGuard::create(const Value& object, const kube::WriteOptions& options,
                                     const kube::Call& call) {
  CW_TRY_VOID(check(kube::ref_of(object)));
  return client_.create(object, options, call);
}

base::Result<Value> KeyGuard::update(const Value& object, const kube::WriteOptions& options,
                                     const kube::Call& call) {
  CW_TRY_VOID(check(kube::ref_of(object)));
  return client_.update(object, options, call);
}

base::Result<kube::Applied> KeyGuard::apply(const Value& object, const kube::ApplyOptions& options,
                                            const kube::Call& call) {
  CW_TRY_VOID(check(kube::ref_of(object)));
  return client_.apply(object, options, call);
}

base::Result<Value> KeyGuard::patch(const kube::ObjectRef& ref, const kube::Patch& patch,
                                    const kube::WriteOptions& options, const kube::Call& call) {
  CW_TRY_VOID(check(ref));
  return client_.patch(ref, patch, options, call);
}

base::Status KeyGuard::remove(const kube::ObjectRef& ref, const kube::DeleteOptions& options,
                              const kube::Call& call) {
  CW_TRY_VOID(check(ref));
  return client_.remove(ref, options, call);
}

}  // namespace chartwright::process
