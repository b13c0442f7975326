/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL 3.0 and later, libcrypto through EVP: https://docs.openssl.org/3.0/man7/crypto/
 *
 * Algorithms are fetched once a process and contexts made in setup; a call re-initialises its context, then updates and
 * finishes it. Here are MACs and ciphers; the other families have a file each.
 *
 * Entry points: EVP_MAC_*, EVP_Q_mac, EVP_Cipher*.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/params.h>

#include "session.h"

/* ---- library ---- */

static const char *library_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

static const char *library_cpu_path(void)
{
    return OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
}

const char *evp_open(void)
{
    return OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL) == 1 ? NULL : "OPENSSL_init_crypto fails";
}

void session_free(cs_case *c)
{
    struct session *s = c->state;

    EVP_MD_CTX_free(s->md_ctx);
    EVP_MD_free(s->md);
    EVP_MAC_CTX_free(s->mac_ctx);
    EVP_CIPHER_CTX_free(s->cipher_ctx);
    EVP_PKEY_CTX_free(s->key_ctx);
    OSSL_DECODER_CTX_free(s->decoder);
    EVP_PKEY_free(s->peer);
    EVP_PKEY_free(s->key);
    cs_free(s);
    c->state = NULL;
}

int session_fail(const char *what)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    char text[256];

    if (reason == NULL)
        return cs_fail(what);
    (void)snprintf(text, sizeof text, "%s: %s", what, reason);
    ERR_clear_error();
    return cs_fail(text);
}

int session_give_up(cs_case *c, const char *what)
{
    session_free(c);
    return session_fail(what);
}

struct session *session_new(cs_case *c)
{
    c->state = cs_alloc(sizeof(struct session));
    return c->state;
}

/* ---- mac ---- */

/* A MAC's name to fetch; the parameter that names its inner primitive, or NULL; and that primitive. */
struct mac_kind {
    const char *mac;
    const char *option;
    const char *inner;
};

/* Without an inner primitive the option is the length of the tag, whose default has twice as many bytes. */
static const struct mac_kind siphash = {"SIPHASH", OSSL_MAC_PARAM_SIZE, NULL};
static const struct mac_kind poly1305 = {"POLY1305", NULL, NULL};

static const char *mac_unavailable(const struct cs_op *op)
{
    const struct mac_kind *kind = op->param;
    EVP_MAC *mac = EVP_MAC_fetch(NULL, kind->mac, NULL);
    const char *reason = mac == NULL ? "no loaded provider has this MAC" : NULL;

    EVP_MAC_free(mac);
    ERR_clear_error();
    return reason;
}

static const char *mac_fetch(const struct cs_op *op, void **fetched)
{
    const struct mac_kind *kind = op->param;

    *fetched = EVP_MAC_fetch(NULL, kind->mac, NULL);
    return *fetched != NULL ? NULL : "EVP_MAC_fetch fails";
}

static int mac_setup(cs_case *c)
{
    const struct mac_kind *kind = c->op->param;
    struct session *s = session_new(c);
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
    size_t siphash_len = 8;
    char inner[16] = "";

    if (s == NULL)
        return CS_ERROR;
    if (kind == &siphash)
        params[0] = OSSL_PARAM_construct_size_t(kind->option, &siphash_len);
    else if (kind->option != NULL) {
        (void)snprintf(inner, sizeof inner, "%s", kind->inner);
        params[0] = OSSL_PARAM_construct_utf8_string(kind->option, inner, 0);
    }
    s->mac_ctx = EVP_MAC_CTX_new(c->fetched);
    if (s->mac_ctx == NULL || EVP_MAC_init(s->mac_ctx, c->key.data, c->key.len, params) != 1)
        return session_give_up(c, "EVP_MAC_init");
    c->out_len = EVP_MAC_CTX_get_mac_size(s->mac_ctx);
    return CS_OK;
}

static int mac_finish(cs_case *c)
{
    struct session *s = c->state;
    size_t len = 0;

    if (EVP_MAC_update(s->mac_ctx, c->msg.data, c->msg.len) != 1 ||
        EVP_MAC_final(s->mac_ctx, c->out, &len, c->out_cap) != 1)
        return session_fail("EVP_MAC_final");
    return CS_OK;
}

static int mac_rekey(cs_case *c)
{
    struct session *s = c->state;

    return EVP_MAC_init(s->mac_ctx, c->key.data, c->key.len, NULL) == 1 ? CS_OK : session_fail("EVP_MAC_init");
}

/* Starts again with the key set anew. Poly1305 always does so: its keys serve one message, and EVP insists. */
static int rekeyed_mac_call(cs_case *c)
{
    struct session *s = c->state;

    if (EVP_MAC_init(s->mac_ctx, c->key.data, c->key.len, NULL) != 1)
        return session_fail("EVP_MAC_init");
    return mac_finish(c);
}

/* Starts again from the keyed state. Before 3.0.3 an init without a key did not reset HMAC and CMAC. */
#if OPENSSL_VERSION_NUMBER >= 0x30000030L
static int mac_call(cs_case *c)
{
    struct session *s = c->state;

    if (EVP_MAC_init(s->mac_ctx, NULL, 0, NULL) != 1)
        return session_fail("EVP_MAC_init");
    return mac_finish(c);
}
#else
static int mac_call(cs_case *c)
{
    return rekeyed_mac_call(c);
}
#endif

static int oneshot_mac_call(cs_case *c)
{
    const struct mac_kind *kind = c->op->param;

    return EVP_Q_mac(NULL, kind->mac, NULL, kind->inner, NULL, c->key.data, c->key.len, c->msg.data, c->msg.len, c->out,
                     c->out_cap, &c->out_len) != NULL
               ? CS_OK
               : session_fail("EVP_Q_mac");
}

/* ---- cipher ---- */

const char *cipher_unavailable(const struct cs_op *op)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, op->param, NULL);
    const char *reason = cipher == NULL ? "no loaded provider has this cipher" : NULL;

    EVP_CIPHER_free(cipher);
    ERR_clear_error();
    return reason;
}

const char *cipher_fetch(const struct cs_op *op, void **fetched)
{
    *fetched = EVP_CIPHER_fetch(NULL, op->param, NULL);
    return *fetched != NULL ? NULL : "EVP_CIPHER_fetch fails";
}

/* Expands the key. */
static int cipher_open(cs_case *c, int encrypt)
{
    struct session *s = c->state;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
    unsigned padding = 0;

    if (c->msg.len > INT_MAX || c->aad.len > INT_MAX)
        return session_give_up(c, "input longer than EVP takes in one update");
    s->cipher = c->fetched;
    s->cipher_ctx = EVP_CIPHER_CTX_new();
    if (s->cipher_ctx == NULL)
        return session_give_up(c, "EVP_CIPHER_CTX_new");
    /* Only block modes pad. EVP_CIPHER_CTX_set_padding would be repeated by EVP at every later initialisation; the
     * parameter says the same once, and the cipher keeps it. */
    if (EVP_CIPHER_get_block_size(s->cipher) > 1)
        params[0] = OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding);
    if (EVP_CipherInit_ex2(s->cipher_ctx, s->cipher, c->key.data, s->iv, encrypt, params) != 1)
        return session_give_up(c, "EVP_CipherInit_ex2");
    c->out_len = c->msg.len;
    return CS_OK;
}

static int block_setup(cs_case *c, int encrypt)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    memcpy(s->iv, c->iv.data, c->iv.len);
    return cipher_open(c, encrypt);
}

static int encrypt_setup(cs_case *c)
{
    return block_setup(c, 1);
}

static int decrypt_setup(cs_case *c)
{
    return block_setup(c, 0);
}

/* EVP's ChaCha20 takes 16 bytes: the block counter (little-endian, here 0) and then the nonce of RFC 8439. */
static int chacha20_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    memcpy(s->iv + 4, c->iv.data, 12);
    return cipher_open(c, 1);
}

/* The schedule of another key in the context that there is. */
int cipher_rekey(cs_case *c)
{
    struct session *s = c->state;

    return EVP_CipherInit_ex2(s->cipher_ctx, NULL, c->key.data, NULL, -1, NULL) == 1
               ? CS_OK
               : session_fail("EVP_CipherInit_ex2");
}

static int cipher_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;
    int rest = 0;

    if (EVP_CipherInit_ex2(s->cipher_ctx, NULL, NULL, s->iv, -1, NULL) != 1 ||
        EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) != 1 ||
        EVP_CipherFinal_ex(s->cipher_ctx, c->out + len, &rest) != 1)
        return session_fail("EVP_Cipher");
    return CS_OK;
}

/* ---- aead ---- */

static int aead_setup(cs_case *c, int encrypt)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    memcpy(s->iv, c->iv.data, 12);
    return cipher_open(c, encrypt);
}

int seal_setup(cs_case *c)
{
    int status = aead_setup(c, 1);

    c->out_len = c->msg.len + 16;
    return status;
}

int open_setup(cs_case *c)
{
    int status = aead_setup(c, 0);
    struct session *s = c->state;

    if (status != CS_OK)
        return status;
    memcpy(s->tag, c->tag.data, sizeof s->tag);
    return CS_OK;
}

static int open_rekey(cs_case *c)
{
    struct session *s = c->state;

    memcpy(s->tag, c->tag.data, sizeof s->tag);
    return cipher_rekey(c);
}

/* IV, additional data and message. An update with no additional data is left out: EVP takes a NULL input for the end.
 */
static int aead_process(cs_case *c, int *len)
{
    struct session *s = c->state;

    return EVP_CipherInit_ex2(s->cipher_ctx, NULL, NULL, s->iv, -1, NULL) == 1 &&
           (c->aad.len == 0 || EVP_CipherUpdate(s->cipher_ctx, NULL, len, c->aad.data, (int)c->aad.len) == 1) &&
           EVP_CipherUpdate(s->cipher_ctx, c->out, len, c->msg.data, (int)c->msg.len) == 1;
}

static int seal_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;
    int rest = 0;

    if (!aead_process(c, &len) || EVP_CipherFinal_ex(s->cipher_ctx, c->out + len, &rest) != 1 ||
        EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_GET_TAG, 16, c->out + c->msg.len) != 1)
        return session_fail("EVP seal");
    return CS_OK;
}

static int open_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;
    int rest = 0;

    if (!aead_process(c, &len) || EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_SET_TAG, 16, s->tag) != 1)
        return session_fail("EVP open");
    if (EVP_CipherFinal_ex(s->cipher_ctx, c->out + len, &rest) == 1)
        return CS_OK;
    ERR_clear_error();
    return CS_REJECTED;
}

/* ---- rows ---- */

#define MAC_ROW(ALGORITHM, NAME, CALL, REKEY, KIND)                                                                    \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = "EVP_MAC " NAME,                                                                                          \
     .setup = mac_setup,                                                                                               \
     .call = CALL,                                                                                                     \
     .rekey = REKEY,                                                                                                   \
     .teardown = session_free,                                                                                         \
     .param = &(KIND),                                                                                                 \
     FETCHED(mac)}
#define ONESHOT_MAC(ALGORITHM, KIND)                                                                                   \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "oneshot",                                                                                                \
     .name = "EVP_Q_mac",                                                                                              \
     .call = oneshot_mac_call,                                                                                         \
     .rekey = cs_key_in_call,                                                                                          \
     .param = &(KIND),                                                                                                 \
     .unavailable = mac_unavailable,                                                                                   \
     .open = evp_open}
#define MAC_ROWS(ALGORITHM, NAME, CALL, REKEY, KIND)                                                                   \
    MAC_ROW(ALGORITHM, NAME, CALL, REKEY, KIND), ONESHOT_MAC(ALGORITHM, KIND)
#define HMAC_ROWS(ALGORITHM, DIGEST)                                                                                   \
    MAC_ROWS(ALGORITHM, "HMAC " DIGEST, mac_call, mac_rekey,                                                           \
             ((const struct mac_kind){"HMAC", OSSL_MAC_PARAM_DIGEST, DIGEST}))
#define CMAC_ROWS(ALGORITHM, CIPHER)                                                                                   \
    MAC_ROWS(ALGORITHM, "CMAC " CIPHER, mac_call, mac_rekey,                                                           \
             ((const struct mac_kind){"CMAC", OSSL_MAC_PARAM_CIPHER, CIPHER}))
#define BLOCK_ROWS(ALGORITHM, NAME, BLOCK)                                                                             \
    CIPHER_ROW(ALGORITHM "/encrypt", NAME, encrypt_setup, cipher_call, cipher_rekey, BLOCK),                           \
        CIPHER_ROW(ALGORITHM "/decrypt", NAME, decrypt_setup, cipher_call, cipher_rekey, BLOCK)
#define STREAM_ROW(ALGORITHM, NAME, SETUP) CIPHER_ROW(ALGORITHM "/encrypt", NAME, SETUP, cipher_call, cipher_rekey, 0)
#define AEAD_ROWS(ALGORITHM, NAME)                                                                                     \
    CIPHER_ROW(ALGORITHM "/seal", NAME, seal_setup, seal_call, cipher_rekey, 0),                                       \
        CIPHER_ROW(ALGORITHM "/open", NAME, open_setup, open_call, open_rekey, 0)

static const cs_op rows[] = {
    HMAC_ROWS("hmac-sha-1", "SHA1"),
    HMAC_ROWS("hmac-sha-256", "SHA256"),
    HMAC_ROWS("hmac-sha-384", "SHA384"),
    HMAC_ROWS("hmac-sha-512", "SHA512"),
    CMAC_ROWS("cmac-aes-128", "AES-128-CBC"),
    CMAC_ROWS("cmac-aes-256", "AES-256-CBC"),
    MAC_ROWS("poly1305", "POLY1305", rekeyed_mac_call, cs_key_in_call, poly1305),
    MAC_ROW("siphash-2-4", "SIPHASH", mac_call, mac_rekey, siphash),

    BLOCK_ROWS("aes-128-cbc", "AES-128-CBC", 16),
    BLOCK_ROWS("aes-192-cbc", "AES-192-CBC", 16),
    BLOCK_ROWS("aes-256-cbc", "AES-256-CBC", 16),
    BLOCK_ROWS("camellia-128-cbc", "CAMELLIA-128-CBC", 16),
    BLOCK_ROWS("3des-cbc", "DES-EDE3-CBC", 8),
    BLOCK_ROWS("aes-128-xts", "AES-128-XTS", 16),
    BLOCK_ROWS("aes-256-xts", "AES-256-XTS", 16),
    STREAM_ROW("aes-128-ctr", "AES-128-CTR", encrypt_setup),
    STREAM_ROW("aes-192-ctr", "AES-192-CTR", encrypt_setup),
    STREAM_ROW("aes-256-ctr", "AES-256-CTR", encrypt_setup),
    STREAM_ROW("aria-128-ctr", "ARIA-128-CTR", encrypt_setup),
    STREAM_ROW("sm4-ctr", "SM4-CTR", encrypt_setup),
    STREAM_ROW("chacha20", "ChaCha20", chacha20_setup),

    AEAD_ROWS("aes-128-gcm", "AES-128-GCM"),
    AEAD_ROWS("aes-192-gcm", "AES-192-GCM"),
    AEAD_ROWS("aes-256-gcm", "AES-256-GCM"),
    AEAD_ROWS("aes-128-ocb", "AES-128-OCB"),
    AEAD_ROWS("aes-256-ocb", "AES-256-OCB"),
    AEAD_ROWS("chacha20-poly1305", "ChaCha20-Poly1305"),
};
static const cs_table macs_and_ciphers = CS_TABLE(rows);

static const cs_library library = {
    .abi = CS_ABI,
    .id = "openssl",
    .version = library_version,
    .version_from = "library",
    .cpu_path = library_cpu_path,
    .open = NULL,
    .tables = CS_TABLES(&macs_and_ciphers, &openssl_aes, &openssl_bignum, &openssl_dsa, &openssl_ffdh, &openssl_hashes,
                        &openssl_import, &openssl_kdf, &openssl_keys, &openssl_modes, &openssl_multiples, &openssl_pkey,
                        &openssl_pq, &openssl_random, &openssl_rsa, &libcrypto_x509),
};

CS_WORKER_MAIN(library)
