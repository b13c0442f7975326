/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS through PSA (psa/crypto.h): a key is imported in setup and named by its number in every call.
 */
#include <stdio.h>
#include <string.h>

#include <mbedtls/version.h>
#include <psa/crypto.h>

#include "adapter.h"

/* What a row's key is for: the row's `param`. A hash has an algorithm only. */
struct psa_use {
    psa_algorithm_t algorithm;
    psa_key_type_t type;
    psa_key_usage_t usage;
};

struct psa_state {
    psa_key_id_t key;
    uint8_t *sealed; /* of `open` only: ciphertext and tag, as PSA takes them */
};

static int from_psa(psa_status_t status, const char *function)
{
    char text[80];

    if (status == PSA_SUCCESS)
        return CS_OK;
    (void)snprintf(text, sizeof text, "%s returned %ld", function, (long)status);
    return cs_fail(text);
}

const char *psa_open(void)
{
    return psa_crypto_init() == PSA_SUCCESS ? NULL : "psa_crypto_init fails: this build of Mbed TLS has no PSA core";
}

static const char *psa_unavailable(const cs_op *op)
{
    (void)op;
    return psa_open();
}

/* ---- hash ---- */

static int setup_psa_hash(cs_case *c)
{
    const struct psa_use *use = c->op->param;

    c->out_len = PSA_HASH_LENGTH(use->algorithm);
    return CS_OK;
}

static int call_psa_hash(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    size_t len;

    return from_psa(psa_hash_compute(use->algorithm, c->msg.data, c->msg.len, c->out, c->out_cap, &len),
                    "psa_hash_compute");
}

/* ---- keys ---- */

static void teardown_psa(cs_case *c)
{
    struct psa_state *s = c->state;

    (void)psa_destroy_key(s->key);
    cs_free(s->sealed);
    cs_free(s);
    c->state = NULL;
}

static int import(cs_case *c, cs_span bytes)
{
    const struct psa_use *use = c->op->param;
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    struct psa_state *s = cs_alloc(sizeof *s);
    psa_status_t status;

    if (s == NULL)
        return CS_ERROR;
    psa_set_key_type(&attributes, use->type);
    psa_set_key_algorithm(&attributes, use->algorithm);
    psa_set_key_usage_flags(&attributes, use->usage);
    status = psa_import_key(&attributes, bytes.data, bytes.len, &s->key);
    if (status == PSA_SUCCESS) {
        c->state = s;
        return CS_OK;
    }
    cs_free(s);
    return from_psa(status, "psa_import_key");
}

static int setup_psa(cs_case *c)
{
    return import(c, c->key);
}

static int setup_psa_public(cs_case *c)
{
    return import(c, c->pub);
}

/* Joins ciphertext and tag, as PSA takes them. */
static int setup_psa_open(cs_case *c)
{
    struct psa_state *s;

    if (import(c, c->key) != CS_OK)
        return CS_ERROR;
    s = c->state;
    s->sealed = cs_alloc(c->msg.len + c->tag.len);
    if (s->sealed == NULL) {
        teardown_psa(c);
        return CS_ERROR;
    }
    memcpy(s->sealed, c->msg.data, c->msg.len);
    memcpy(s->sealed + c->msg.len, c->tag.data, c->tag.len);
    return CS_OK;
}

/* ---- symmetric operations ---- */

static int call_psa_mac(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;

    return from_psa(psa_mac_compute(s->key, use->algorithm, c->msg.data, c->msg.len, c->out, c->out_cap, &c->out_len),
                    "psa_mac_compute");
}

/* The one-shot function draws the IV itself and writes it in front. With a given IV, a program calls these functions.
 */
static int run_cipher(cs_case *c, psa_cipher_operation_t *operation, psa_status_t status)
{
    size_t part = 0;
    size_t rest = 0;

    if (status == PSA_SUCCESS)
        status = psa_cipher_set_iv(operation, c->iv.data, c->iv.len);
    if (status == PSA_SUCCESS)
        status = psa_cipher_update(operation, c->msg.data, c->msg.len, c->out, c->out_cap, &part);
    if (status == PSA_SUCCESS)
        status = psa_cipher_finish(operation, c->out + part, c->out_cap - part, &rest);
    c->out_len = part + rest;
    if (status == PSA_SUCCESS)
        return CS_OK;
    (void)psa_cipher_abort(operation);
    return from_psa(status, "psa_cipher");
}

static int call_psa_encrypt(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;
    psa_cipher_operation_t operation = PSA_CIPHER_OPERATION_INIT;

    return run_cipher(c, &operation, psa_cipher_encrypt_setup(&operation, s->key, use->algorithm));
}

static int call_psa_decrypt(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;
    psa_cipher_operation_t operation = PSA_CIPHER_OPERATION_INIT;

    return run_cipher(c, &operation, psa_cipher_decrypt_setup(&operation, s->key, use->algorithm));
}

static int call_psa_seal(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;

    return from_psa(psa_aead_encrypt(s->key, use->algorithm, c->iv.data, c->iv.len, c->aad.data, c->aad.len,
                                     c->msg.data, c->msg.len, c->out, c->out_cap, &c->out_len),
                    "psa_aead_encrypt");
}

/* What is shorter than a tag is an invalid argument to PSA; no tag of another length than the algorithm's can be valid.
 */
static int call_psa_open(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;
    psa_status_t status;

    status = psa_aead_decrypt(s->key, use->algorithm, c->iv.data, c->iv.len, c->aad.data, c->aad.len, s->sealed,
                              c->msg.len + c->tag.len, c->out, c->out_cap, &c->out_len);
    return status == PSA_ERROR_INVALID_SIGNATURE ? CS_REJECTED : from_psa(status, "psa_aead_decrypt");
}

/* ---- public keys ---- */

/* The peer's key is read in every call; points of small order are refused. */
static int call_psa_derive(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;
    psa_status_t status =
        psa_raw_key_agreement(use->algorithm, s->key, c->pub.data, c->pub.len, c->out, c->out_cap, &c->out_len);

    return status == PSA_ERROR_INVALID_ARGUMENT ? CS_REJECTED : from_psa(status, "psa_raw_key_agreement");
}

/* Of these curves it is the key that is refused. */
static int call_psa_ecdh(cs_case *c)
{
    int status = call_psa_derive(c);

    return status == CS_REJECTED ? CS_BAD_KEY : status;
}

static int call_psa_sign(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;

    return from_psa(psa_sign_message(s->key, use->algorithm, c->msg.data, c->msg.len, c->out, c->out_cap, &c->out_len),
                    "psa_sign_message");
}

static int call_psa_verify(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;
    psa_status_t status = psa_verify_message(s->key, use->algorithm, c->msg.data, c->msg.len, c->sig.data, c->sig.len);

    return status == PSA_ERROR_INVALID_SIGNATURE ? CS_REJECTED : from_psa(status, "psa_verify_message");
}

#define PSA_HASH_ROW(ALGORITHM, ALG)                                                                                   \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "psa",                                                                                                    \
     .name = "psa_hash_compute " #ALG,                                                                                 \
     .setup = setup_psa_hash,                                                                                          \
     .call = call_psa_hash,                                                                                            \
     .param = &(const struct psa_use){.algorithm = ALG},                                                               \
     .unavailable = psa_unavailable,                                                                                   \
     .open = psa_open}
#define PSA_ROW(ID, IMPL, NAME, SETUP, CALL, FORM, BLOCK, ...)                                                         \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .cannot = "place: whether buffers may overlap is left to implementations of PSA",                                 \
     .teardown = teardown_psa,                                                                                         \
     .param = &(const struct psa_use){__VA_ARGS__},                                                                    \
     .form = FORM,                                                                                                     \
     .unavailable = psa_unavailable,                                                                                   \
     .block = BLOCK,                                                                                                   \
     .open = psa_open}
#define PSA_MAC_ROW(ALGORITHM, TYPE, ALG)                                                                              \
    PSA_ROW(ALGORITHM "/mac", "psa", "psa_mac_compute", setup_psa, call_psa_mac, NULL, 0, .algorithm = ALG,            \
            .type = TYPE, .usage = PSA_KEY_USAGE_SIGN_MESSAGE)
#define PSA_ENCRYPT_ROW(ALGORITHM, TYPE, ALG, BLOCK)                                                                   \
    PSA_ROW(ALGORITHM "/encrypt", "psa", "psa_cipher_encrypt_setup", setup_psa, call_psa_encrypt, NULL, BLOCK,         \
            .algorithm = ALG, .type = TYPE, .usage = PSA_KEY_USAGE_ENCRYPT)
#define PSA_CBC_ROWS(ALGORITHM, TYPE, BLOCK)                                                                           \
    PSA_ENCRYPT_ROW(ALGORITHM, TYPE, PSA_ALG_CBC_NO_PADDING, BLOCK),                                                   \
        PSA_ROW(ALGORITHM "/decrypt", "psa", "psa_cipher_decrypt_setup", setup_psa, call_psa_decrypt, NULL, BLOCK,     \
                .algorithm = PSA_ALG_CBC_NO_PADDING, .type = TYPE, .usage = PSA_KEY_USAGE_DECRYPT)
#define PSA_AEAD_ROWS(ALGORITHM, TYPE, ALG)                                                                            \
    PSA_ROW(ALGORITHM "/seal", "psa", "psa_aead_encrypt", setup_psa, call_psa_seal, NULL, 0, .algorithm = ALG,         \
            .type = TYPE, .usage = PSA_KEY_USAGE_ENCRYPT),                                                             \
        PSA_ROW(ALGORITHM "/open", "psa", "psa_aead_decrypt", setup_psa_open, call_psa_open, NULL, 0,                  \
                .algorithm = ALG, .type = TYPE, .usage = PSA_KEY_USAGE_DECRYPT)
#define PSA_X25519_KEY PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_MONTGOMERY)
#define PSA_ECDH_ROW(ALGORITHM)                                                                                        \
    PSA_ROW(ALGORITHM "/derive", "psa", "psa_raw_key_agreement", setup_psa, call_psa_ecdh, NULL, 0,                    \
            .algorithm = PSA_ALG_ECDH, .type = PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_SECP_R1),                      \
            .usage = PSA_KEY_USAGE_DERIVE)
#define PSA_SIGN_ROW(ALGORITHM, FAMILY, IMPL, NAME, ALG)                                                               \
    PSA_ROW(ALGORITHM "/sign", IMPL, NAME, setup_psa, call_psa_sign, "p1363", 0, .algorithm = ALG,                     \
            .type = PSA_KEY_TYPE_ECC_KEY_PAIR(FAMILY), .usage = PSA_KEY_USAGE_SIGN_MESSAGE)
#define PSA_ECDSA_ROWS(ALGORITHM, FAMILY, HASH)                                                                        \
    PSA_SIGN_ROW(ALGORITHM, FAMILY, "psa", "psa_sign_message PSA_ALG_ECDSA", PSA_ALG_ECDSA(HASH)),                     \
        PSA_SIGN_ROW(ALGORITHM, FAMILY, "psa_rfc6979", "psa_sign_message PSA_ALG_DETERMINISTIC_ECDSA",                 \
                     PSA_ALG_DETERMINISTIC_ECDSA(HASH)),                                                               \
        PSA_ROW(ALGORITHM "/verify", "psa", "psa_verify_message PSA_ALG_ECDSA", setup_psa_public, call_psa_verify,     \
                "p1363", 0, .algorithm = PSA_ALG_ECDSA(HASH), .type = PSA_KEY_TYPE_ECC_PUBLIC_KEY(FAMILY),             \
                .usage = PSA_KEY_USAGE_VERIFY_MESSAGE)

/* clang-format off */

static const cs_op rows[] = {
PSA_HASH_ROW("md5", PSA_ALG_MD5),
    PSA_HASH_ROW("sha-1", PSA_ALG_SHA_1),
    PSA_HASH_ROW("sha-256", PSA_ALG_SHA_256),
    PSA_HASH_ROW("sha-512", PSA_ALG_SHA_512),
    PSA_HASH_ROW("sha-224", PSA_ALG_SHA_224),
    PSA_HASH_ROW("sha-384", PSA_ALG_SHA_384),
#if MBEDTLS_VERSION_NUMBER >= 0x03050000
    PSA_HASH_ROW("sha3-256", PSA_ALG_SHA3_256),
    PSA_HASH_ROW("sha3-384", PSA_ALG_SHA3_384),
    PSA_HASH_ROW("sha3-512", PSA_ALG_SHA3_512),
#endif
    PSA_HASH_ROW("ripemd-160", PSA_ALG_RIPEMD160),
    PSA_MAC_ROW("hmac-sha-1", PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(PSA_ALG_SHA_1)),
    PSA_MAC_ROW("hmac-sha-256", PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(PSA_ALG_SHA_256)),
    PSA_MAC_ROW("hmac-sha-384", PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(PSA_ALG_SHA_384)),
    PSA_MAC_ROW("hmac-sha-512", PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(PSA_ALG_SHA_512)),
    PSA_MAC_ROW("cmac-aes-128", PSA_KEY_TYPE_AES, PSA_ALG_CMAC),
    PSA_MAC_ROW("cmac-aes-256", PSA_KEY_TYPE_AES, PSA_ALG_CMAC),
    PSA_CBC_ROWS("aes-128-cbc", PSA_KEY_TYPE_AES, AES_BLOCK),
    PSA_CBC_ROWS("aes-256-cbc", PSA_KEY_TYPE_AES, AES_BLOCK),
    PSA_CBC_ROWS("aes-192-cbc", PSA_KEY_TYPE_AES, AES_BLOCK),
    PSA_CBC_ROWS("camellia-128-cbc", PSA_KEY_TYPE_CAMELLIA, AES_BLOCK),
    PSA_CBC_ROWS("3des-cbc", PSA_KEY_TYPE_DES, DES_BLOCK),
    PSA_ENCRYPT_ROW("aes-128-ctr", PSA_KEY_TYPE_AES, PSA_ALG_CTR, 0),
    PSA_ENCRYPT_ROW("aes-256-ctr", PSA_KEY_TYPE_AES, PSA_ALG_CTR, 0),
    PSA_ENCRYPT_ROW("aes-192-ctr", PSA_KEY_TYPE_AES, PSA_ALG_CTR, 0),
#if MBEDTLS_VERSION_MAJOR >= 3
    PSA_ENCRYPT_ROW("aria-128-ctr", PSA_KEY_TYPE_ARIA, PSA_ALG_CTR, 0),
#endif
    PSA_ENCRYPT_ROW("chacha20", PSA_KEY_TYPE_CHACHA20, PSA_ALG_STREAM_CIPHER, 0),
    PSA_AEAD_ROWS("aes-128-gcm", PSA_KEY_TYPE_AES, PSA_ALG_GCM),
    PSA_AEAD_ROWS("aes-256-gcm", PSA_KEY_TYPE_AES, PSA_ALG_GCM),
    PSA_AEAD_ROWS("aes-192-gcm", PSA_KEY_TYPE_AES, PSA_ALG_GCM),
    PSA_AEAD_ROWS("aes-128-ccm", PSA_KEY_TYPE_AES, PSA_ALG_CCM),
    PSA_AEAD_ROWS("aes-256-ccm", PSA_KEY_TYPE_AES, PSA_ALG_CCM),
    PSA_AEAD_ROWS("chacha20-poly1305", PSA_KEY_TYPE_CHACHA20, PSA_ALG_CHACHA20_POLY1305),
    PSA_ROW("x25519/derive", "psa", "psa_raw_key_agreement", setup_psa, call_psa_derive, NULL, 0,
            .algorithm = PSA_ALG_ECDH, .type = PSA_X25519_KEY, .usage = PSA_KEY_USAGE_DERIVE),
    PSA_ECDH_ROW("p-256"), PSA_ECDH_ROW("p-384"), PSA_ECDH_ROW("p-521"),
    PSA_ECDSA_ROWS("ecdsa-brainpoolp256r1-sha256", PSA_ECC_FAMILY_BRAINPOOL_P_R1, PSA_ALG_SHA_256),
    PSA_ECDSA_ROWS("ecdsa-p384-sha384", PSA_ECC_FAMILY_SECP_R1, PSA_ALG_SHA_384),
    PSA_ECDSA_ROWS("ecdsa-p521-sha512", PSA_ECC_FAMILY_SECP_R1, PSA_ALG_SHA_512),
    PSA_ECDSA_ROWS("ecdsa-p256-sha256", PSA_ECC_FAMILY_SECP_R1, PSA_ALG_SHA_256),
    PSA_ECDSA_ROWS("ecdsa-secp256k1-sha256", PSA_ECC_FAMILY_SECP_K1, PSA_ALG_SHA_256),
};
const cs_table mbedtls_psa = CS_TABLE(rows);
/* clang-format on */
