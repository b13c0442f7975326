/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL 3.0 and later, libcrypto through EVP: https://docs.openssl.org/3.0/man7/crypto/
 *
 * Algorithms are fetched once a process and contexts made in setup; a call re-initialises its context, then updates and
 * finishes it. Entry points: EVP_MAC_*, EVP_Cipher*, EVP_PKEY_derive, EVP_DigestSign/Verify (Ed25519),
 * EVP_PKEY_sign/verify (ECDSA). adapter_hash.c has those for hashes and for MACs in one call.
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

#include "adapter_bignum.h"
#include "adapter_aes.h"
#include "adapter_hash.h"
#include "adapter_random.h"
#include "adapter_import.h"
#include "libcrypto.h"
#include "adapter_keys.h"
#include "adapter_modes.h"
#include "adapter_rsa.h"
#include "adapter_pq.h"
#include "adapter_nist.h"
#include "adapter_curves.h"
#include "adapter_ffdh.h"
#include "adapter_dsa.h"
#include "adapter_kdf.h"
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

static const struct mac_kind hmac_sha256 = {"HMAC", OSSL_MAC_PARAM_DIGEST, "SHA256"};
static const struct mac_kind cmac_aes128 = {"CMAC", OSSL_MAC_PARAM_CIPHER, "AES-128-CBC"};
static const struct mac_kind cmac_aes256 = {"CMAC", OSSL_MAC_PARAM_CIPHER, "AES-256-CBC"};
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

/* ---- cipher ---- */

static const char *cipher_unavailable(const struct cs_op *op)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, op->param, NULL);
    const char *reason = cipher == NULL ? "no loaded provider has this cipher" : NULL;

    EVP_CIPHER_free(cipher);
    ERR_clear_error();
    return reason;
}

static const char *cipher_fetch(const struct cs_op *op, void **fetched)
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
static int cipher_rekey(cs_case *c)
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

static int seal_setup(cs_case *c)
{
    int status = aead_setup(c, 1);

    c->out_len = c->msg.len + 16;
    return status;
}

static int open_setup(cs_case *c)
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

/* ---- table ---- */

#define ONESHOT_HASH(ALGORITHM, DIGEST)                                                                                \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "oneshot",                                                                                                \
     .name = "EVP_Q_digest " DIGEST,                                                                                   \
     .call = oneshot_hash_call,                                                                                        \
     .param = DIGEST,                                                                                                  \
     .unavailable = hash_unavailable,                                                                                  \
     .open = evp_open}
#define SHA_FUNCTION(ALGORITHM, FUNCTION, CALL)                                                                        \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = #FUNCTION,                                                                                                \
     .name = #FUNCTION,                                                                                                \
     .call = CALL,                                                                                                     \
     .param = #FUNCTION,                                                                                               \
     .unavailable = hash_unavailable,                                                                                  \
     .open = evp_open}
#define ONESHOT_MAC(ALGORITHM, KIND)                                                                                   \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "oneshot",                                                                                                \
     .name = "EVP_Q_mac",                                                                                              \
     .call = oneshot_mac_call,                                                                                         \
     .rekey = cs_key_in_call,                                                                                          \
     .param = &(KIND),                                                                                                 \
     .unavailable = mac_unavailable,                                                                                   \
     .open = evp_open}

#define HMAC_ROWS(ALGORITHM, DIGEST)                                                                                   \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = "EVP_MAC HMAC " DIGEST,                                                                                   \
     .setup = mac_setup,                                                                                               \
     .call = mac_call,                                                                                                 \
     .rekey = mac_rekey,                                                                                               \
     .teardown = session_free,                                                                                         \
     .param = &(const struct mac_kind){"HMAC", OSSL_MAC_PARAM_DIGEST, DIGEST},                                         \
     FETCHED(mac)},                                                                                                    \
        ONESHOT_MAC(ALGORITHM, ((const struct mac_kind){"HMAC", OSSL_MAC_PARAM_DIGEST, DIGEST}))

#define FETCHED(FAMILY) .unavailable = FAMILY##_unavailable, .open = evp_open, .fetch = FAMILY##_fetch
#define SIGNATURE(FAMILY) .unavailable = sig_unavailable, .open = evp_open, .fetch = FAMILY##_fetch
#define ECDSA .unavailable = ecdsa_unavailable, .open = evp_open, .fetch = ecdsa_fetch

/* clang-format off */
static const cs_op ops[] = {
    {.id = "md5/hash", .impl = "default", .name = "EVP_MD MD5", .setup = hash_setup, .call = hash_call, .teardown = session_free, .param = "MD5", FETCHED(hash)},
    {.id = "sha-1/hash", .impl = "default", .name = "EVP_MD SHA1", .setup = hash_setup, .call = hash_call, .teardown = session_free, .param = "SHA1", FETCHED(hash)},
    {.id = "sha-256/hash", .impl = "default", .name = "EVP_MD SHA256", .setup = hash_setup, .call = hash_call, .teardown = session_free, .param = "SHA256", FETCHED(hash)},
    {.id = "sha-512/hash", .impl = "default", .name = "EVP_MD SHA512", .setup = hash_setup, .call = hash_call, .teardown = session_free, .param = "SHA512", FETCHED(hash)},
    {.id = "sha3-256/hash", .impl = "default", .name = "EVP_MD SHA3-256", .setup = hash_setup, .call = hash_call, .teardown = session_free, .param = "SHA3-256", FETCHED(hash)},
    {.id = "blake2b-512/hash", .impl = "default", .name = "EVP_MD BLAKE2B-512", .setup = hash_setup, .call = hash_call, .teardown = session_free, .param = "BLAKE2B-512", FETCHED(hash)},

    {.id = "hmac-sha-256/mac", .impl = "default", .name = "EVP_MAC HMAC SHA256", .setup = mac_setup, .call = mac_call, .rekey = mac_rekey, .teardown = session_free, .param = &hmac_sha256, FETCHED(mac)},
    {.id = "cmac-aes-128/mac", .impl = "default", .name = "EVP_MAC CMAC AES-128-CBC", .setup = mac_setup, .call = mac_call, .rekey = mac_rekey, .teardown = session_free, .param = &cmac_aes128, FETCHED(mac)},
    {.id = "cmac-aes-256/mac", .impl = "default", .name = "EVP_MAC CMAC AES-256-CBC", .setup = mac_setup, .call = mac_call, .rekey = mac_rekey, .teardown = session_free, .param = &cmac_aes256, FETCHED(mac)},
    {.id = "poly1305/mac", .impl = "default", .name = "EVP_MAC POLY1305", .setup = mac_setup, .call = rekeyed_mac_call, .rekey = cs_key_in_call, .teardown = session_free, .param = &poly1305, FETCHED(mac)},

    ONESHOT_HASH("md5", "MD5"), ONESHOT_HASH("sha-1", "SHA1"), ONESHOT_HASH("sha-256", "SHA256"), ONESHOT_HASH("sha-512", "SHA512"),
    ONESHOT_HASH("sha3-256", "SHA3-256"), ONESHOT_HASH("blake2b-512", "BLAKE2B-512"),
    SHA_FUNCTION("sha-1", SHA1, sha1_call), SHA_FUNCTION("sha-256", SHA256, sha256_call), SHA_FUNCTION("sha-512", SHA512, sha512_call),
    DIGEST_ROWS,
    {.id = "siphash-2-4/mac", .impl = "default", .name = "EVP_MAC SIPHASH", .setup = mac_setup, .call = mac_call, .rekey = mac_rekey, .teardown = session_free, .param = &siphash, FETCHED(mac)},
    HMAC_ROWS("hmac-sha-1", "SHA1"), HMAC_ROWS("hmac-sha-384", "SHA384"), HMAC_ROWS("hmac-sha-512", "SHA512"),
    ONESHOT_MAC("hmac-sha-256", hmac_sha256), ONESHOT_MAC("cmac-aes-128", cmac_aes128), ONESHOT_MAC("cmac-aes-256", cmac_aes256), ONESHOT_MAC("poly1305", poly1305),

    {.id = "aes-128-cbc/encrypt", .impl = "default", .name = "EVP_CIPHER AES-128-CBC", .setup = encrypt_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-128-CBC", FETCHED(cipher), .block = 16},
    {.id = "aes-192-cbc/encrypt", .impl = "default", .name = "EVP_CIPHER AES-192-CBC", .setup = encrypt_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-192-CBC", FETCHED(cipher), .block = 16},
    {.id = "aes-128-cbc/decrypt", .impl = "default", .name = "EVP_CIPHER AES-128-CBC", .setup = decrypt_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-128-CBC", FETCHED(cipher), .block = 16},
    {.id = "aes-192-cbc/decrypt", .impl = "default", .name = "EVP_CIPHER AES-192-CBC", .setup = decrypt_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-192-CBC", FETCHED(cipher), .block = 16},
    {.id = "aes-256-cbc/encrypt", .impl = "default", .name = "EVP_CIPHER AES-256-CBC", .setup = encrypt_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-256-CBC", FETCHED(cipher), .block = 16},
    {.id = "aes-256-cbc/decrypt", .impl = "default", .name = "EVP_CIPHER AES-256-CBC", .setup = decrypt_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-256-CBC", FETCHED(cipher), .block = 16},
    {.id = "3des-cbc/encrypt", .impl = "default", .name = "EVP_CIPHER DES-EDE3-CBC", .setup = encrypt_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "DES-EDE3-CBC", FETCHED(cipher), .block = 8},
    {.id = "3des-cbc/decrypt", .impl = "default", .name = "EVP_CIPHER DES-EDE3-CBC", .setup = decrypt_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "DES-EDE3-CBC", FETCHED(cipher), .block = 8},
    {.id = "aes-128-ctr/encrypt", .impl = "default", .name = "EVP_CIPHER AES-128-CTR", .setup = encrypt_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-128-CTR", FETCHED(cipher)},
    {.id = "aes-192-ctr/encrypt", .impl = "default", .name = "EVP_CIPHER AES-192-CTR", .setup = encrypt_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-192-CTR", FETCHED(cipher)},
    {.id = "aes-256-ctr/encrypt", .impl = "default", .name = "EVP_CIPHER AES-256-CTR", .setup = encrypt_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-256-CTR", FETCHED(cipher)},
    {.id = "chacha20/encrypt", .impl = "default", .name = "EVP_CIPHER ChaCha20", .setup = chacha20_setup, .call = cipher_call, .rekey = cipher_rekey, .teardown = session_free, .param = "ChaCha20", FETCHED(cipher)},
    AES_CBC_ROWS("aes-128-cbc"), AES_CBC_ROWS("aes-192-cbc"), AES_CBC_ROWS("aes-256-cbc"),

    {.id = "aes-128-gcm/seal", .impl = "default", .name = "EVP_CIPHER AES-128-GCM", .setup = seal_setup, .call = seal_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-128-GCM", FETCHED(cipher)},
    {.id = "aes-192-gcm/seal", .impl = "default", .name = "EVP_CIPHER AES-192-GCM", .setup = seal_setup, .call = seal_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-192-GCM", FETCHED(cipher)},
    {.id = "aes-128-gcm/open", .impl = "default", .name = "EVP_CIPHER AES-128-GCM", .setup = open_setup, .call = open_call, .rekey = open_rekey, .teardown = session_free, .param = "AES-128-GCM", FETCHED(cipher)},
    {.id = "aes-192-gcm/open", .impl = "default", .name = "EVP_CIPHER AES-192-GCM", .setup = open_setup, .call = open_call, .rekey = open_rekey, .teardown = session_free, .param = "AES-192-GCM", FETCHED(cipher)},
    {.id = "aes-256-gcm/seal", .impl = "default", .name = "EVP_CIPHER AES-256-GCM", .setup = seal_setup, .call = seal_call, .rekey = cipher_rekey, .teardown = session_free, .param = "AES-256-GCM", FETCHED(cipher)},
    {.id = "aes-256-gcm/open", .impl = "default", .name = "EVP_CIPHER AES-256-GCM", .setup = open_setup, .call = open_call, .rekey = open_rekey, .teardown = session_free, .param = "AES-256-GCM", FETCHED(cipher)},
    {.id = "chacha20-poly1305/seal", .impl = "default", .name = "EVP_CIPHER ChaCha20-Poly1305", .setup = seal_setup, .call = seal_call, .rekey = cipher_rekey, .teardown = session_free, .param = "ChaCha20-Poly1305", FETCHED(cipher)},
    {.id = "chacha20-poly1305/open", .impl = "default", .name = "EVP_CIPHER ChaCha20-Poly1305", .setup = open_setup, .call = open_call, .rekey = open_rekey, .teardown = session_free, .param = "ChaCha20-Poly1305", FETCHED(cipher)},
    MODE_ROWS,

    {.id = "x25519/derive", .impl = "default", .name = "EVP_PKEY_derive X25519", .setup = derive_setup, .call = derive_call, .rekey = cs_setup_again, .teardown = session_free, .param = "X25519", FETCHED(derive)},

    {.id = "ed25519/sign", .impl = "default", .name = "EVP_DigestSign ED25519", .setup = ed25519_sign_setup, .call = ed25519_sign_call, .rekey = cs_setup_again, .teardown = session_free, .param = "ED25519", SIGNATURE(ed25519)},
    {.id = "ed25519/verify", .impl = "default", .name = "EVP_DigestVerify ED25519", .setup = ed25519_verify_setup, .call = ed25519_verify_call, .rekey = cs_setup_again, .teardown = session_free, .param = "ED25519", SIGNATURE(ed25519)},
    {.id = "ecdsa-p256-sha256/sign", .impl = "default", .name = "EVP_PKEY_sign ECDSA P-256", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = session_free, .param = "P-256", .form = "der", ECDSA, .seed = ecdsa_seed},
    {.id = "ecdsa-p256-sha256/sign", .impl = "rfc6979", .name = "EVP_PKEY_sign ECDSA P-256, nonce-type 1", .setup = ecdsa_sign_rfc6979_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = session_free, .param = "P-256", .form = "der", .unavailable = nonce_unavailable, .open = evp_open, .fetch = ecdsa_fetch},
    {.id = "ecdsa-p256-sha256/verify", .impl = "default", .name = "EVP_PKEY_verify ECDSA P-256", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = session_free, .param = "P-256", .form = "der", ECDSA},
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = "default", .name = "EVP_PKEY_sign ECDSA secp256k1", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = session_free, .param = "secp256k1", .form = "der", ECDSA, .seed = ecdsa_seed},
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = "rfc6979", .name = "EVP_PKEY_sign ECDSA secp256k1, nonce-type 1", .setup = ecdsa_sign_rfc6979_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = session_free, .param = "secp256k1", .form = "der", .unavailable = nonce_unavailable, .open = evp_open, .fetch = ecdsa_fetch},
    {.id = "ecdsa-secp256k1-sha256/verify", .impl = "default", .name = "EVP_PKEY_verify ECDSA secp256k1", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = session_free, .param = "secp256k1", .form = "der", ECDSA},

    KEY_ROWS,
    ML_DSA_ROWS,
    SLH_DSA_ROWS,
    HYBRID_ROWS,

    RSA_ROWS,
    DSA_ROWS,
    IMPORT_ROWS,
    X509_ROWS(.unavailable = NULL, .open = evp_open, .settle = evp_settle),
    NIST_ROWS,
    RANDOM_ROWS,
    CURVE448_ROWS,
    BRAINPOOL_ROWS,
    FFDH_ROWS,

    BIGNUM_ROWS,
    KDF_ROWS,
};
/* clang-format on */

static const cs_library library = {
    .abi = CS_ABI,
    .id = "openssl",
    .version = library_version,
    .version_from = "library",
    .cpu_path = library_cpu_path,
    .open = NULL,
    .tables = CS_ROWS(ops),
};

CS_WORKER_MAIN(library)
