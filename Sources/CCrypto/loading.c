#include "CCrypto.h"

#include <dlfcn.h>

#if !__has_include(<openssl/opensslv.h>)
#error "OpenSSL is missing: install Debian's package libssl-dev, or run 'make deps'"
#endif
#include <openssl/opensslv.h>

#define TEXT(word) #word
#define TEXT_OF(macro) TEXT(macro)
#define LIBRARY "libcrypto.so." TEXT_OF(OPENSSL_SHLIB_VERSION)

// SHA256 needs nothing to be configured first.
static unsigned char *(*sha256)(const unsigned char *bytes, size_t count, unsigned char *digest);
static int (*compare)(const void *one, const void *other, size_t count);

const char *gamed_crypto_load(void) {
    if (compare) return NULL;
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    sha256 = (unsigned char *(*)(const unsigned char *, size_t, unsigned char *))dlsym(library, "SHA256");
    if (!sha256) return dlerror();
    compare = (int (*)(const void *, const void *, size_t))dlsym(library, "CRYPTO_memcmp");
    return compare ? NULL : dlerror();
}

void gamed_sha256(const void *bytes, size_t count, unsigned char *digest) { sha256(bytes, count, digest); }

int gamed_compare(const void *one, const void *other, size_t count) { return compare(one, other, count); }
