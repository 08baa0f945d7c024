// OpenSSL as Swift sees it, loaded once somebody asks for TLS: who does not pays nothing for it. Only TLS and SecureStreams import it.
#pragma once

#if !__has_include(<openssl/ssl.h>)
#error "OpenSSL is missing: install Debian's package libssl-dev, or run 'make deps'"
#endif

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

// Macros, which Swift does not import.

static inline int gamed_tls_set_least_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

// A peer that hangs up without a farewell has hung up: requests and replies say themselves where they end. What is idle holds no buffers.
static inline void gamed_tls_set_rules(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
        | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

// The chain owns the certificate from then on.
static inline int gamed_tls_add_to_chain(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add0_chain_cert(context, certificate);
}

static inline int gamed_tls_name_server(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

static inline void gamed_tls_set_owner(SSL_CTX *context, void *owner) { SSL_CTX_set_ex_data(context, 0, owner); }

static inline void *gamed_tls_owner(const SSL *session) { return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), 0); }

// Loads OpenSSL, and if asked libevent's streams on it, too. To be called before anything else here, on one thread. Returns what is
// missing, in the system's words; NULL if nothing is.
const char *gamed_tls_load(int has_streams);
