// OpenSSL 3 as Swift sees it. Only TLS and EventLoop import it.
#pragma once

#if !__has_include(<openssl/ssl.h>)
#error "OpenSSL is missing: install Debian's package libssl-dev, or run 'make deps'"
#endif

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

// Macros, which Swift does not import.

static inline int gamed_tls_set_min_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

// Requests and replies carry their lengths, so a peer that closes without close_notify is not an error. Idle sessions hold no buffers.
static inline void gamed_tls_set_options(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
        | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

// The context owns the certificate from then on.
static inline int gamed_tls_add_to_chain(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add0_chain_cert(context, certificate);
}

static inline int gamed_tls_set_server_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

static inline void gamed_tls_set_owner(SSL_CTX *context, void *owner) { SSL_CTX_set_ex_data(context, 0, owner); }

static inline void *gamed_tls_owner(const SSL *session) { return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), 0); }
