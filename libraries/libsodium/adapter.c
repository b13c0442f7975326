/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium. Its API has few choices: one function per operation, with keys as plain byte strings. Contexts exist only
 * for hashes, HMAC (a keyed state that may be copied) and AES-256-GCM (an expanded key). NOTES.md says what that puts
 * into the timed region.
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "adapter.h"

enum { AEAD_TAG = 16 };

/* ---- state ---- */

/* For a setup that fails after it made its state: the SDK tears down only what was set up. */
static int give_up(cs_case *c, const char *text)
{
    cs_teardown_state(c);
    return cs_fail(text);
}

/* ---- hash ---- */

/* `default` works on a state that is kept, as in the other libraries; the single-part functions have theirs on the
 * stack.
 */
typedef union hash_state {
    crypto_hash_sha256_state sha256;
    crypto_hash_sha512_state sha512;
    crypto_generichash_state blake2b;
#ifdef crypto_hash_sha3256_BYTES
    crypto_hash_sha3256_state sha3;
    crypto_hash_sha3512_state sha3_512;
    crypto_xof_shake128_state shake128;
    crypto_xof_shake256_state shake256;
#endif
} hash_state;

/* `param` is the digest's length in bytes. */
static int setup_digest(cs_case *c)
{
    const size_t *bytes = c->op->param;
    c->out_len = *bytes;
    return CS_OK;
}

static int setup_hash(cs_case *c)
{
    c->state = cs_alloc(sizeof(hash_state));
    return c->state == NULL ? CS_ERROR : setup_digest(c);
}

static int call_sha256(cs_case *c)
{
    hash_state *s = c->state;
    crypto_hash_sha256_init(&s->sha256);
    crypto_hash_sha256_update(&s->sha256, c->msg.data, c->msg.len);
    return crypto_hash_sha256_final(&s->sha256, c->out) == 0 ? CS_OK : CS_ERROR;
}

static int call_oneshot_sha256(cs_case *c)
{
    return crypto_hash_sha256(c->out, c->msg.data, c->msg.len) == 0 ? CS_OK : CS_ERROR;
}

static int call_sha512(cs_case *c)
{
    hash_state *s = c->state;
    crypto_hash_sha512_init(&s->sha512);
    crypto_hash_sha512_update(&s->sha512, c->msg.data, c->msg.len);
    return crypto_hash_sha512_final(&s->sha512, c->out) == 0 ? CS_OK : CS_ERROR;
}

static int call_oneshot_sha512(cs_case *c)
{
    return crypto_hash_sha512(c->out, c->msg.data, c->msg.len) == 0 ? CS_OK : CS_ERROR;
}

#ifdef crypto_hash_sha3256_BYTES
static int call_sha3(cs_case *c)
{
    hash_state *s = c->state;
    crypto_hash_sha3256_init(&s->sha3);
    crypto_hash_sha3256_update(&s->sha3, c->msg.data, c->msg.len);
    return crypto_hash_sha3256_final(&s->sha3, c->out) == 0 ? CS_OK : CS_ERROR;
}

static int call_oneshot_sha3(cs_case *c)
{
    return crypto_hash_sha3256(c->out, c->msg.data, c->msg.len) == 0 ? CS_OK : CS_ERROR;
}

static int call_sha3_512(cs_case *c)
{
    hash_state *s = c->state;
    crypto_hash_sha3512_init(&s->sha3_512);
    crypto_hash_sha3512_update(&s->sha3_512, c->msg.data, c->msg.len);
    return crypto_hash_sha3512_final(&s->sha3_512, c->out) == 0 ? CS_OK : CS_ERROR;
}

static int call_oneshot_sha3_512(cs_case *c)
{
    return crypto_hash_sha3512(c->out, c->msg.data, c->msg.len) == 0 ? CS_OK : CS_ERROR;
}

/* Bytes of what is taken from a function of extendable output. */
enum { SHAKE128 = 32, SHAKE256 = 64 };

static int call_shake128(cs_case *c)
{
    hash_state *s = c->state;
    crypto_xof_shake128_init(&s->shake128);
    crypto_xof_shake128_update(&s->shake128, c->msg.data, c->msg.len);
    return crypto_xof_shake128_squeeze(&s->shake128, c->out, SHAKE128) == 0 ? CS_OK : CS_ERROR;
}

static int call_oneshot_shake128(cs_case *c)
{
    return crypto_xof_shake128(c->out, SHAKE128, c->msg.data, c->msg.len) == 0 ? CS_OK : CS_ERROR;
}

static int call_shake256(cs_case *c)
{
    hash_state *s = c->state;
    crypto_xof_shake256_init(&s->shake256);
    crypto_xof_shake256_update(&s->shake256, c->msg.data, c->msg.len);
    return crypto_xof_shake256_squeeze(&s->shake256, c->out, SHAKE256) == 0 ? CS_OK : CS_ERROR;
}

static int call_oneshot_shake256(cs_case *c)
{
    return crypto_xof_shake256(c->out, SHAKE256, c->msg.data, c->msg.len) == 0 ? CS_OK : CS_ERROR;
}
#endif

static int call_blake2b(cs_case *c)
{
    hash_state *s = c->state;
    crypto_generichash_init(&s->blake2b, NULL, 0, crypto_generichash_BYTES_MAX);
    crypto_generichash_update(&s->blake2b, c->msg.data, c->msg.len);
    return crypto_generichash_final(&s->blake2b, c->out, crypto_generichash_BYTES_MAX) == 0 ? CS_OK : CS_ERROR;
}

static int call_oneshot_blake2b(cs_case *c)
{
    return crypto_generichash(c->out, crypto_generichash_BYTES_MAX, c->msg.data, c->msg.len, NULL, 0) == 0 ? CS_OK
                                                                                                           : CS_ERROR;
}

/* ---- mac ---- */

typedef struct hmac_state {
    crypto_auth_hmacsha256_state keyed; /* after the key, before any message */
} hmac_state;

static int setup_hmac_sha256(cs_case *c)
{
    hmac_state *s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    if (crypto_auth_hmacsha256_init(&s->keyed, c->key.data, c->key.len) != 0)
        return give_up(c, "crypto_auth_hmacsha256_init");
    c->out_len = crypto_auth_hmacsha256_BYTES;
    return CS_OK;
}

static int rekey_hmac_sha256(cs_case *c)
{
    hmac_state *s = c->state;
    return crypto_auth_hmacsha256_init(&s->keyed, c->key.data, c->key.len) == 0 ? CS_OK : CS_ERROR;
}

static int call_hmac_sha256(cs_case *c)
{
    const hmac_state *s = c->state;
    crypto_auth_hmacsha256_state work = s->keyed;
    if (crypto_auth_hmacsha256_update(&work, c->msg.data, c->msg.len) != 0)
        return CS_ERROR;
    return crypto_auth_hmacsha256_final(&work, c->out) == 0 ? CS_OK : CS_ERROR;
}

static int setup_poly1305(cs_case *c)
{
    c->out_len = crypto_onetimeauth_BYTES;
    return CS_OK;
}

static int call_poly1305(cs_case *c)
{
    return crypto_onetimeauth(c->out, c->msg.data, c->msg.len, c->key.data) == 0 ? CS_OK : CS_ERROR;
}

/* ---- cipher ---- */

static int call_chacha20(cs_case *c)
{
    return crypto_stream_chacha20_ietf_xor(c->out, c->msg.data, c->msg.len, c->iv.data, c->key.data) == 0 ? CS_OK
                                                                                                          : CS_ERROR;
}

/* ---- aead ---- */

static int setup_chacha20_poly1305_seal(cs_case *c)
{
    c->out_len = c->msg.len + AEAD_TAG;
    return CS_OK;
}

static int setup_chacha20_poly1305_open(cs_case *c)
{
    const int status = setup_chacha20_poly1305_seal(c);
    c->out_len = c->msg.len;
    return status;
}

static int call_chacha20_poly1305_seal(cs_case *c)
{
    const int failed = crypto_aead_chacha20poly1305_ietf_encrypt(c->out, NULL, c->msg.data, c->msg.len, c->aad.data,
                                                                 c->aad.len, NULL, c->iv.data, c->key.data);
    return failed == 0 ? CS_OK : CS_ERROR;
}

/* All lengths are right, so a refusal by the library can only mean the tag. */
static int call_chacha20_poly1305_open(cs_case *c)
{
    const int refused = crypto_aead_chacha20poly1305_ietf_decrypt_detached(
        c->out, NULL, c->msg.data, c->msg.len, c->tag.data, c->aad.data, c->aad.len, c->iv.data, c->key.data);
    return refused == 0 ? CS_OK : CS_REJECTED;
}

typedef struct gcm_state {
    crypto_aead_aes256gcm_state expanded;
} gcm_state;

static const char *aes256gcm_unavailable(const cs_op *op)
{
    (void)op;
    return crypto_aead_aes256gcm_is_available() ? NULL
                                                : "libsodium has AES-256-GCM only for CPUs with AES and carry-less "
                                                  "multiplication instructions";
}

static int setup_aes256gcm_seal(cs_case *c)
{
    gcm_state *s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    if (crypto_aead_aes256gcm_beforenm(&s->expanded, c->key.data) != 0)
        return give_up(c, "crypto_aead_aes256gcm_beforenm");
    c->out_len = c->msg.len + AEAD_TAG;
    return CS_OK;
}

static int setup_aes256gcm_open(cs_case *c)
{
    const int status = setup_aes256gcm_seal(c);
    c->out_len = c->msg.len;
    return status;
}

static int rekey_aes256gcm(cs_case *c)
{
    gcm_state *s = c->state;
    return crypto_aead_aes256gcm_beforenm(&s->expanded, c->key.data) == 0 ? CS_OK : CS_ERROR;
}

static int call_aes256gcm_seal(cs_case *c)
{
    const gcm_state *s = c->state;
    const int failed = crypto_aead_aes256gcm_encrypt_afternm(c->out, NULL, c->msg.data, c->msg.len, c->aad.data,
                                                             c->aad.len, NULL, c->iv.data, &s->expanded);
    return failed == 0 ? CS_OK : CS_ERROR;
}

static int call_aes256gcm_open(cs_case *c)
{
    const gcm_state *s = c->state;
    const int refused = crypto_aead_aes256gcm_decrypt_detached_afternm(
        c->out, NULL, c->msg.data, c->msg.len, c->tag.data, c->aad.data, c->aad.len, c->iv.data, &s->expanded);
    return refused == 0 ? CS_OK : CS_REJECTED;
}

/* ---- key agreement ---- */

static int setup_x25519(cs_case *c)
{
    c->out_len = crypto_scalarmult_BYTES;
    return CS_OK;
}

/* libsodium refuses points of small order, and nothing else. */
static int call_x25519(cs_case *c)
{
    return crypto_scalarmult(c->out, c->key.data, c->pub.data) == 0 ? CS_OK : CS_REJECTED;
}

/* ---- signature ---- */

typedef struct ed25519_state {
    uint8_t secret[crypto_sign_SECRETKEYBYTES]; /* seed, then public key */
} ed25519_state;

static int setup_ed25519_sign(cs_case *c)
{
    uint8_t pub[crypto_sign_PUBLICKEYBYTES];
    ed25519_state *s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    if (crypto_sign_seed_keypair(pub, s->secret, c->key.data) != 0)
        return give_up(c, "crypto_sign_seed_keypair");
    c->out_len = crypto_sign_BYTES;
    return CS_OK;
}

static int call_ed25519_sign(cs_case *c)
{
    const ed25519_state *s = c->state;
    return crypto_sign_detached(c->out, NULL, c->msg.data, c->msg.len, s->secret) == 0 ? CS_OK : CS_ERROR;
}

/* crypto_sign_verify_detached reads 64 bytes whatever it is given, hence the length check. */
static int call_ed25519_verify(cs_case *c)
{
    if (c->sig.len != crypto_sign_BYTES)
        return CS_REJECTED;
    return crypto_sign_verify_detached(c->sig.data, c->msg.data, c->msg.len, c->pub.data) == 0 ? CS_OK : CS_REJECTED;
}

/* ---- rows ---- */

#define HASH(ALGORITHM, CALL, NAME, BYTES)                                                                             \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "default",                                                                                                \
     .name = NAME "_init, _update, _final",                                                                            \
     .setup = setup_hash,                                                                                              \
     .call = call_##CALL,                                                                                              \
     .teardown = cs_teardown_state,                                                                                    \
     .param = &(const size_t){BYTES}},                                                                                 \
    {                                                                                                                  \
        .id = ALGORITHM "/hash", .impl = "oneshot", .name = NAME, .setup = setup_digest, .call = call_oneshot_##CALL,  \
        .param = &(const size_t)                                                                                       \
        {                                                                                                              \
            BYTES                                                                                                      \
        }                                                                                                              \
    }

static const cs_op rows[] = {
    HASH("sha-256", sha256, "crypto_hash_sha256", crypto_hash_sha256_BYTES),
    HASH("sha-512", sha512, "crypto_hash_sha512", crypto_hash_sha512_BYTES),
#ifdef crypto_hash_sha3256_BYTES
    HASH("sha3-256", sha3, "crypto_hash_sha3256", crypto_hash_sha3256_BYTES),
    HASH("sha3-512", sha3_512, "crypto_hash_sha3512", crypto_hash_sha3512_BYTES),
    HASH("shake128", shake128, "crypto_xof_shake128", SHAKE128),
    HASH("shake256", shake256, "crypto_xof_shake256", SHAKE256),
#endif
    HASH("blake2b-512", blake2b, "crypto_generichash", crypto_generichash_BYTES_MAX),
    {.id = "hmac-sha-256/mac",
     .impl = "default",
     .name = "crypto_auth_hmacsha256",
     .setup = setup_hmac_sha256,
     .call = call_hmac_sha256,
     .rekey = rekey_hmac_sha256,
     .teardown = cs_teardown_state},
    {.id = "poly1305/mac",
     .impl = "default",
     .name = "crypto_onetimeauth",
     .setup = setup_poly1305,
     .call = call_poly1305,
     .rekey = cs_key_in_call},
    {.id = "chacha20/encrypt",
     .impl = "default",
     .name = "crypto_stream_chacha20_ietf_xor",
     .setup = cs_setup_msg_length,
     .call = call_chacha20,
     .rekey = cs_key_in_call},
    {.id = "chacha20-poly1305/seal",
     .impl = "default",
     .name = "crypto_aead_chacha20poly1305_ietf",
     .setup = setup_chacha20_poly1305_seal,
     .call = call_chacha20_poly1305_seal,
     .rekey = cs_key_in_call},
    {.id = "chacha20-poly1305/open",
     .impl = "default",
     .name = "crypto_aead_chacha20poly1305_ietf",
     .setup = setup_chacha20_poly1305_open,
     .call = call_chacha20_poly1305_open,
     .rekey = cs_key_in_call},
    {.id = "aes-256-gcm/seal",
     .impl = "default",
     .name = "crypto_aead_aes256gcm_afternm",
     .setup = setup_aes256gcm_seal,
     .call = call_aes256gcm_seal,
     .rekey = rekey_aes256gcm,
     .teardown = cs_teardown_state,
     .unavailable = aes256gcm_unavailable},
    {.id = "aes-256-gcm/open",
     .impl = "default",
     .name = "crypto_aead_aes256gcm_afternm",
     .setup = setup_aes256gcm_open,
     .call = call_aes256gcm_open,
     .rekey = rekey_aes256gcm,
     .teardown = cs_teardown_state,
     .unavailable = aes256gcm_unavailable},
    {.id = "x25519/derive",
     .impl = "default",
     .name = "crypto_scalarmult",
     .setup = setup_x25519,
     .call = call_x25519,
     .rekey = cs_key_in_call},
    {.id = "ed25519/sign",
     .impl = "default",
     .name = "crypto_sign_detached",
     .setup = setup_ed25519_sign,
     .call = call_ed25519_sign,
     .rekey = cs_setup_again,
     .teardown = cs_teardown_state},
    {.id = "ed25519/verify",
     .impl = "default",
     .name = "crypto_sign_verify_detached",
     .call = call_ed25519_verify,
     .rekey = cs_key_in_call},
};
static const cs_table most = CS_TABLE(rows);

/* ---- the library ---- */

static char cpu_features[128];

static void append_feature(int present, const char *name)
{
    const size_t used = strlen(cpu_features);
    if (present)
        snprintf(cpu_features + used, sizeof cpu_features - used, "%s%s", used == 0 ? "" : " ", name);
}

static int open_library(void)
{
    random_on_a_board();
    count_drawn();
    if (sodium_init() < 0)
        return cs_fail("sodium_init");
    return CS_OK;
}

static const char *cpu_path(void)
{
    cpu_features[0] = '\0';
    append_feature(sodium_runtime_has_neon(), "neon");
    append_feature(sodium_runtime_has_sse2(), "sse2");
    append_feature(sodium_runtime_has_ssse3(), "ssse3");
    append_feature(sodium_runtime_has_sse41(), "sse4.1");
    append_feature(sodium_runtime_has_avx(), "avx");
    append_feature(sodium_runtime_has_avx2(), "avx2");
    append_feature(sodium_runtime_has_avx512f(), "avx512f");
    append_feature(sodium_runtime_has_pclmul(), "pclmul");
    append_feature(sodium_runtime_has_aesni(), "aesni");
    return cpu_features;
}

static const cs_library library = {
    .abi = CS_ABI,
    .id = "libsodium",
    .version = sodium_version_string,
    .version_from = "library",
    .cpu_path = cpu_path,
    .open = open_library,
    .tables = CS_TABLES(&most, &libsodium_xchacha, &libsodium_mac, &libsodium_random, &libsodium_keys, &libsodium_kdf),
};

CS_WORKER_MAIN(library)
