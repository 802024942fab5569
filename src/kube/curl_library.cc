// SPDX-License-Identifier: Apache-2.0
#include "kube/curl_library.h"

#include <dlfcn.h>

#include <string>

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

// The build with OpenSSL, which this program uses too, so that the process has one TLS library. The
// build with GnuTLS has another name.
constexpr const char* kFile = "libcurl.so.4";
constexpr const char* kPackage = "libcurl 7.85 or newer is needed (Debian: libcurl4)";

/// Looks up functions in an opened library, and records the first that is missing.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <typename Function>
  void find(const char* name, Function& into) {
    into = reinterpret_cast<Function>(dlsym(library_, name));
    if (into == nullptr && missing_.empty()) {
      missing_ = name;
    }
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

Error unusable(std::string_view why) {
  return Error(ErrorCode::kInternal, std::string(kFile) + " cannot be used: " + std::string(why))
      .with_help(kPackage);
}

void find_all(Symbols& symbols, CurlLibrary& into) {
  symbols.find("curl_global_init", into.global_init);
  symbols.find("curl_slist_append", into.slist_append);
  symbols.find("curl_slist_free_all", into.slist_free_all);
  symbols.find("curl_easy_init", into.easy_init);
  symbols.find("curl_easy_cleanup", into.easy_cleanup);
  symbols.find("curl_easy_reset", into.easy_reset);
  symbols.find("curl_easy_setopt", into.easy_setopt);
  symbols.find("curl_easy_getinfo", into.easy_getinfo);
  symbols.find("curl_easy_pause", into.easy_pause);
  symbols.find("curl_easy_strerror", into.easy_strerror);
  symbols.find("curl_multi_init", into.multi_init);
  symbols.find("curl_multi_cleanup", into.multi_cleanup);
  symbols.find("curl_multi_setopt", into.multi_setopt);
  symbols.find("curl_multi_add_handle", into.multi_add_handle);
  symbols.find("curl_multi_remove_handle", into.multi_remove_handle);
  symbols.find("curl_multi_perform", into.multi_perform);
  symbols.find("curl_multi_poll", into.multi_poll);
  symbols.find("curl_multi_wakeup", into.multi_wakeup);
  symbols.find("curl_multi_info_read", into.multi_info_read);
}

/// Opens the library. It is never closed, because its threads and exit handlers may run until the
/// process ends.
Result<CurlLibrary> open() {
  void* const library = dlopen(kFile, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return unusable(why != nullptr ? why : "it cannot be opened");
  }
  Symbols symbols(library);
  CurlLibrary found;
  find_all(symbols, found);
  if (!symbols.missing().empty()) {
    return unusable("it has no " + symbols.missing());
  }
  if (found.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return unusable("it cannot be initialised");
  }
  return found;
}

const Result<CurlLibrary>& library() {
  static const Result<CurlLibrary> opened = open();
  return opened;
}

}  // namespace

base::Status load_curl() {
  if (!library().ok()) {
    return library().error();
  }
  return {};
}

const CurlLibrary& curl() { return library().value(); }

}  // namespace chartwright::kube
