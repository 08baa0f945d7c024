// OpenSSL's digest and comparison as Swift sees them, loaded once somebody has a token: who has none pays nothing for it. Only Crypto
// imports it.
#pragma once

#include <stddef.h>

// Loads the library. To be called before what follows, on one thread. Returns what is wrong; null if nothing is.
const char *gamed_crypto_load(void);

void gamed_sha256(const void *bytes, size_t count, unsigned char *digest);

// 0 if they are equal, found out in the same time whatever they are.
int gamed_compare(const void *one, const void *other, size_t count);
