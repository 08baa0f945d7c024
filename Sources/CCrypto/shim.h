// OpenSSL's libcrypto as Swift sees it: a digest and a comparison. Only Crypto imports it.
#pragma once

#if !__has_include(<openssl/sha.h>)
#error "OpenSSL is missing: install Debian's package libssl-dev, or run 'make deps'"
#endif

// The plain functions of SHA-256 need nothing to be loaded or configured first, as those that replace them do.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/sha.h>

static inline void gamed_sha256(const void *bytes, size_t count, unsigned char *digest) {
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, bytes, count);
    SHA256_Final(digest, &context);
}
