// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pki/pki.h"

namespace chartwright::pki {

/// Generates an RSA key of `bits` (2048 or more, even) with the public exponent 65537. Its modulus
/// is the product of two random probable primes, as in FIPS 186-5 A.1.3 and in Go's crypto/rsa.
/// OpenSSL's own generator follows A.1.6 (primes with conditions, found by way of auxiliary primes)
/// and takes two to three times as long. Thread-safe. Error: kInternal if OpenSSL has no memory or
/// no random numbers.
base::Result<KeyPtr> generate_rsa_key(int bits);

}  // namespace chartwright::pki
