// SPDX-License-Identifier: Apache-2.0
#include "base/openssl_library.h"

#include <dlfcn.h>
#include <openssl/macros.h>
#include <openssl/opensslv.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace chartwright::base {
namespace {

constexpr const char* kCrypto = "libcrypto.so." OPENSSL_MSTR(OPENSSL_SHLIB_VERSION);
constexpr const char* kSsl = "libssl.so." OPENSSL_MSTR(OPENSSL_SHLIB_VERSION);

[[noreturn]] void give_up() {
  // The loader's exit code for a missing library or symbol.
  constexpr int kNotFound = 127;
  const char* const why = dlerror();
  std::fprintf(stderr, "chartwright: error while loading OpenSSL: %s\n",
               why != nullptr ? why : "no reason is known");
  std::_Exit(kNotFound);
}

// Never closed: the library's exit handlers run at the end of the process.
void* open(const char* file) {
  void* const library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    give_up();
  }
  return library;
}

}  // namespace

void* openssl_function(const char* name) {
  static void* const crypto = open(kCrypto);
  if (void* const found = dlsym(crypto, name); found != nullptr) {
    return found;
  }
  static void* const ssl = open(kSsl);
  void* const found = dlsym(ssl, name);
  if (found == nullptr) {
    give_up();
  }
  return found;
}

}  // namespace chartwright::base

// Called by a stub whose slot still has its initial value (openssl_stubs.S.in). The function's name
// follows the slot. If two threads get here at once, they find the same address.
extern "C" void* cw_fill_openssl_slot(std::atomic<void*>* slot) {
  const auto* name = reinterpret_cast<const char*>(slot + 1);
  void* const found = chartwright::base::openssl_function(name);
  slot->store(found, std::memory_order_relaxed);
  return found;
}
