// OpenSSL 3 as Swift sees it. Only TLS and EventLoop import it.
#pragma once

#if !__has_include(<openssl/ssl.h>)
#error "OpenSSL is missing: install Debian's package libssl-dev, or run 'make deps'"
#endif

#include <errno.h>
#include <sys/socket.h>

#include <openssl/bio.h>
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

// OpenSSL's own sockets raise SIGPIPE where the other side has closed, which ends a program that does not ignore it. These do not.

static inline int gamed_tls_write(BIO *socket, const char *bytes, int count) {
    errno = 0;
    int written = (int)send((int)BIO_get_fd(socket, NULL), bytes, (size_t)count, MSG_NOSIGNAL);
    BIO_clear_retry_flags(socket);
    if (written <= 0 && BIO_sock_should_retry(written)) BIO_set_retry_write(socket);
    return written;
}

// Null where there is no memory.
static inline BIO_METHOD *gamed_tls_make_socket_method(void) {
    const BIO_METHOD *own = BIO_s_socket();
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOCKET, "socket without SIGPIPE");
    if (!method) return NULL;
    BIO_meth_set_write(method, gamed_tls_write);
    BIO_meth_set_read(method, BIO_meth_get_read(own));
    BIO_meth_set_puts(method, BIO_meth_get_puts(own));
    BIO_meth_set_ctrl(method, BIO_meth_get_ctrl(own));
    BIO_meth_set_create(method, BIO_meth_get_create(own));
    BIO_meth_set_destroy(method, BIO_meth_get_destroy(own));
    return method;
}

// The caller keeps the descriptor, and the method for ever. It returns 0 where there is no memory.
static inline int gamed_tls_set_descriptor(SSL *session, const BIO_METHOD *method, int descriptor) {
    BIO *socket = method ? BIO_new(method) : NULL;
    if (!socket) return 0;
    BIO_set_fd(socket, descriptor, BIO_NOCLOSE);
    SSL_set_bio(session, socket, socket);
    return 1;
}
