// OpenSSL's functions, and libevent's on it, forwarded to libraries that are loaded when they are first needed. Each has the name, and by the
// headers' word the type, of the real one; none is visible outside of this program.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC visibility push(hidden)
#include "CTLS.h"

#include <event2/bufferevent_ssl.h>
#pragma GCC visibility pop

// Their numbers change where what they promise does.
#define TEXT(word) #word
#define TEXT_OF(macro) TEXT(macro)
#define TLS_LIBRARY "libssl.so." TEXT_OF(OPENSSL_SHLIB_VERSION)
#define STREAMS_LIBRARY "libevent_openssl-2.1.so.7"

#define TLS_FUNCTIONS(F) \
    F(int, BIO_free, (BIO *a), (a)) \
    F(BIO *, BIO_new_mem_buf, (const void *a, int b), (a, b)) \
    F(void, ERR_clear_error, (void), ()) \
    F(unsigned long, ERR_get_error, (void), ()) \
    F(unsigned long, ERR_peek_error, (void), ()) \
    F(unsigned long, ERR_peek_last_error, (void), ()) \
    F(const char *, ERR_reason_error_string, (unsigned long a), (a)) \
    F(void, EVP_PKEY_free, (EVP_PKEY *a), (a)) \
    F(void, OPENSSL_cleanse, (void *a, size_t b), (a, b)) \
    F(EVP_PKEY *, PEM_read_bio_PrivateKey, (BIO *a, EVP_PKEY **b, pem_password_cb *c, void *d), (a, b, c, d)) \
    F(X509 *, PEM_read_bio_X509, (BIO *a, X509 **b, pem_password_cb *c, void *d), (a, b, c, d)) \
    F(int, SSL_CTX_add_client_CA, (SSL_CTX *a, X509 *b), (a, b)) \
    F(int, SSL_CTX_check_private_key, (const SSL_CTX *a), (a)) \
    F(long, SSL_CTX_ctrl, (SSL_CTX *a, int b, long c, void *d), (a, b, c, d)) \
    F(void, SSL_CTX_free, (SSL_CTX *a), (a)) \
    F(X509_STORE *, SSL_CTX_get_cert_store, (const SSL_CTX *a), (a)) \
    F(void *, SSL_CTX_get_ex_data, (const SSL_CTX *a, int b), (a, b)) \
    F(SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *a), (a)) \
    F(int, SSL_CTX_set_default_verify_paths, (SSL_CTX *a), (a)) \
    F(int, SSL_CTX_set_ex_data, (SSL_CTX *a, int b, void *c), (a, b, c)) \
    F(void, SSL_CTX_set_info_callback, (SSL_CTX *a, void (*b)(const SSL *, int, int)), (a, b)) \
    F(uint64_t, SSL_CTX_set_options, (SSL_CTX *a, uint64_t b), (a, b)) \
    F(int, SSL_CTX_set_session_id_context, (SSL_CTX *a, const unsigned char *b, unsigned int c), (a, b, c)) \
    F(void, SSL_CTX_set_verify, (SSL_CTX *a, int b, SSL_verify_cb c), (a, b, c)) \
    F(int, SSL_CTX_use_PrivateKey, (SSL_CTX *a, EVP_PKEY *b), (a, b)) \
    F(int, SSL_CTX_use_certificate, (SSL_CTX *a, X509 *b), (a, b)) \
    F(int, SSL_connect, (SSL *a), (a)) \
    F(long, SSL_ctrl, (SSL *a, int b, long c, void *d), (a, b, c, d)) \
    F(void, SSL_free, (SSL *a), (a)) \
    F(X509_VERIFY_PARAM *, SSL_get0_param, (SSL *a), (a)) \
    F(X509 *, SSL_get1_peer_certificate, (const SSL *a), (a)) \
    F(SSL_CTX *, SSL_get_SSL_CTX, (const SSL *a), (a)) \
    F(int, SSL_get_error, (const SSL *a, int b), (a, b)) \
    F(long, SSL_get_verify_result, (const SSL *a), (a)) \
    F(int, SSL_is_init_finished, (const SSL *a), (a)) \
    F(SSL *, SSL_new, (SSL_CTX *a), (a)) \
    F(int, SSL_pending, (const SSL *a), (a)) \
    F(int, SSL_read, (SSL *a, void *b, int c), (a, b, c)) \
    F(int, SSL_set1_host, (SSL *a, const char *b), (a, b)) \
    F(int, SSL_set_fd, (SSL *a, int b), (a, b)) \
    F(int, SSL_shutdown, (SSL *a), (a)) \
    F(int, SSL_write, (SSL *a, const void *b, int c), (a, b, c)) \
    F(const SSL_METHOD *, TLS_client_method, (void), ()) \
    F(const SSL_METHOD *, TLS_server_method, (void), ()) \
    F(int, X509_STORE_add_cert, (X509_STORE *a, X509 *b), (a, b)) \
    F(int, X509_VERIFY_PARAM_set1_ip_asc, (X509_VERIFY_PARAM *a, const char *b), (a, b)) \
    F(int, X509_cmp_current_time, (const ASN1_TIME *a), (a)) \
    F(void, X509_free, (X509 *a), (a)) \
    F(const ASN1_TIME *, X509_get0_notAfter, (const X509 *a), (a)) \
    F(const ASN1_TIME *, X509_get0_notBefore, (const X509 *a), (a)) \
    F(int, X509_up_ref, (X509 *a), (a)) \
    F(const char *, X509_verify_cert_error_string, (long a), (a)) \
    F(int, i2d_X509, (const X509 *a, unsigned char **b), (a, b))

#define STREAM_FUNCTIONS(F) \
    F(unsigned long, bufferevent_get_openssl_error, (struct bufferevent *a), (a)) \
    F(struct ssl_st *, bufferevent_openssl_get_ssl, (struct bufferevent *a), (a)) \
    F(struct bufferevent *, bufferevent_openssl_socket_new, (struct event_base *a, evutil_socket_t b, struct ssl_st *c, enum bufferevent_ssl_state d, int e), (a, b, c, d, e))

#define FORWARD(result, name, parameters, arguments) \
    static result (*real_##name) parameters; \
    result name parameters { return real_##name arguments; }

TLS_FUNCTIONS(FORWARD)
STREAM_FUNCTIONS(FORWARD)

#define FIND(result, name, parameters, arguments) \
    if (!(real_##name = (result (*) parameters)dlsym(opened, #name))) return dlerror();

static const char *load_tls(void) {
    static void *library;
    if (library) return NULL;
    // What it needs in turn is found through it.
    void *opened = dlopen(TLS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!opened) return dlerror();
    TLS_FUNCTIONS(FIND)
    library = opened;
    return NULL;
}

static const char *load_streams(void) {
    static void *library;
    if (library) return NULL;
    void *opened = dlopen(STREAMS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!opened) return dlerror();
    STREAM_FUNCTIONS(FIND)
    library = opened;
    return NULL;
}

const char *gamed_tls_load(int has_streams) {
    const char *fault = load_tls();
    return fault || !has_streams ? fault : load_streams();
}
