/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: https://hacl-star.github.io/
 *
 * `default` goes through EverCrypt, the interface that chooses an implementation for the processor; each
 * implementation, which has a header of its own, is a lane. This file has hashes and MACs, by these entry points:
 * EverCrypt_Hash_Incremental_*, EverCrypt_HMAC_compute, EverCrypt_Poly1305_poly1305; Hacl_Streaming_SHA2_*,
 * Hacl_Streaming_Blake2*, Hacl_HMAC_compute_sha2_256, Hacl_Poly1305_*.
 */
#include <stdio.h>
#include <string.h>

#include <EverCrypt_AutoConfig2.h>
#include <EverCrypt_Error.h>
#include <EverCrypt_HMAC.h>
#include <EverCrypt_Hash.h>
#include <EverCrypt_Poly1305.h>
#include <Hacl_HMAC.h>
#include <Hacl_Hash_SHA2.h>
#include <Hacl_Hash_SHA3.h>
#include <Hacl_Poly1305_32.h>
#include <Hacl_Streaming_Blake2.h>
#ifdef HACL_CAN_COMPILE_VEC128
#include <Hacl_Poly1305_128.h>
#include <Hacl_Streaming_Blake2s_128.h>
#endif
#ifdef HACL_CAN_COMPILE_VEC256
#include <Hacl_Poly1305_256.h>
#include <Hacl_Streaming_Blake2b_256.h>
#endif

#include "adapter.h"

/* ---- hash ---- */

struct hash {
    uint8_t algorithm;
    size_t digest;
};

static const struct hash md5 = {.algorithm = Spec_Hash_Definitions_MD5, .digest = 16};
static const struct hash sha1 = {.algorithm = Spec_Hash_Definitions_SHA1, .digest = 20};
static const struct hash sha256 = {.algorithm = Spec_Hash_Definitions_SHA2_256, .digest = 32};
static const struct hash sha512 = {.algorithm = Spec_Hash_Definitions_SHA2_512, .digest = 64};
static const struct hash sha3_256 = {.algorithm = Spec_Hash_Definitions_SHA3_256, .digest = 32};
static const struct hash blake2b = {.algorithm = Spec_Hash_Definitions_Blake2B, .digest = 64};
static const struct hash sha224 = {.algorithm = Spec_Hash_Definitions_SHA2_224, .digest = 28};
static const struct hash sha384 = {.algorithm = Spec_Hash_Definitions_SHA2_384, .digest = 48};
static const struct hash sha3_384 = {.algorithm = Spec_Hash_Definitions_SHA3_384, .digest = 48};
static const struct hash sha3_512 = {.algorithm = Spec_Hash_Definitions_SHA3_512, .digest = 64};
static const struct hash blake2s = {.algorithm = Spec_Hash_Definitions_Blake2S, .digest = 32};
static const struct hash shake128 = {.algorithm = Spec_Hash_Definitions_Shake128, .digest = 32};
static const struct hash shake256 = {.algorithm = Spec_Hash_Definitions_Shake256, .digest = 64};

static int setup_hash(cs_case *c)
{
    const struct hash *hash = c->op->param;

    c->state = EverCrypt_Hash_Incremental_create_in(hash->algorithm);
    c->out_len = hash->digest;
    return c->state == NULL ? CS_ERROR : CS_OK;
}

static void teardown_hash(cs_case *c)
{
    EverCrypt_Hash_Incremental_free(c->state);
    c->state = NULL;
}

static int call_hash(cs_case *c)
{
    EverCrypt_Hash_Incremental_init(c->state);
    if (EverCrypt_Hash_Incremental_update(c->state, bytes_of(c->msg), (uint32_t)c->msg.len) != EverCrypt_Error_Success)
        return cs_fail("EverCrypt_Hash_Incremental_update");
    EverCrypt_Hash_Incremental_finish(c->state, c->out);
    return CS_OK;
}

static int setup_oneshot(cs_case *c)
{
    const struct hash *hash = c->op->param;

    c->out_len = hash->digest;
    return CS_OK;
}

static int call_oneshot(cs_case *c)
{
    const struct hash *hash = c->op->param;

    EverCrypt_Hash_Incremental_hash(hash->algorithm, c->out, bytes_of(c->msg), (uint32_t)c->msg.len);
    return CS_OK;
}

/* ---- hashes by the name of an implementation ---- */

#define STREAMING(NAME, CREATE, INIT, UPDATE, FINISH, FREE)                                                            \
    static int setup_##NAME(cs_case *c)                                                                                \
    {                                                                                                                  \
        const struct hash *hash = c->op->param;                                                                        \
                                                                                                                       \
        c->state = CREATE();                                                                                           \
        c->out_len = hash->digest;                                                                                     \
        return c->state == NULL ? CS_ERROR : CS_OK;                                                                    \
    }                                                                                                                  \
    static void teardown_##NAME(cs_case *c)                                                                            \
    {                                                                                                                  \
        FREE(c->state);                                                                                                \
        c->state = NULL;                                                                                               \
    }                                                                                                                  \
    static int call_##NAME(cs_case *c)                                                                                 \
    {                                                                                                                  \
        INIT(c->state);                                                                                                \
        if (UPDATE(c->state, bytes_of(c->msg), (uint32_t)c->msg.len) != 0)                                             \
            return cs_fail(#UPDATE);                                                                                   \
        FINISH(c->state, c->out);                                                                                      \
        return CS_OK;                                                                                                  \
    }

STREAMING(sha2, Hacl_Streaming_SHA2_create_in_256, Hacl_Streaming_SHA2_init_256, Hacl_Streaming_SHA2_update_256,
          Hacl_Streaming_SHA2_finish_256, Hacl_Streaming_SHA2_free_256)
STREAMING(blake2, Hacl_Streaming_Blake2_blake2b_32_no_key_create_in, Hacl_Streaming_Blake2_blake2b_32_no_key_init,
          Hacl_Streaming_Blake2_blake2b_32_no_key_update, Hacl_Streaming_Blake2_blake2b_32_no_key_finish,
          Hacl_Streaming_Blake2_blake2b_32_no_key_free)
#ifdef HACL_CAN_COMPILE_VEC256
STREAMING(blake2_256, Hacl_Streaming_Blake2b_256_blake2b_256_no_key_create_in,
          Hacl_Streaming_Blake2b_256_blake2b_256_no_key_init, Hacl_Streaming_Blake2b_256_blake2b_256_no_key_update,
          Hacl_Streaming_Blake2b_256_blake2b_256_no_key_finish, Hacl_Streaming_Blake2b_256_blake2b_256_no_key_free)
#endif

STREAMING(blake2s, Hacl_Streaming_Blake2_blake2s_32_no_key_create_in, Hacl_Streaming_Blake2_blake2s_32_no_key_init,
          Hacl_Streaming_Blake2_blake2s_32_no_key_update, Hacl_Streaming_Blake2_blake2s_32_no_key_finish,
          Hacl_Streaming_Blake2_blake2s_32_no_key_free)
#ifdef HACL_CAN_COMPILE_VEC128
STREAMING(blake2s_128, Hacl_Streaming_Blake2s_128_blake2s_128_no_key_create_in,
          Hacl_Streaming_Blake2s_128_blake2s_128_no_key_init, Hacl_Streaming_Blake2s_128_blake2s_128_no_key_update,
          Hacl_Streaming_Blake2s_128_blake2s_128_no_key_finish, Hacl_Streaming_Blake2s_128_blake2s_128_no_key_free)
#endif

/* ---- SHAKE: not in EverCrypt ---- */

static int setup_keccak(cs_case *c)
{
    const struct hash *hash = c->op->param;

    c->state = Hacl_Streaming_Keccak_malloc(hash->algorithm);
    c->out_len = hash->digest;
    return c->state == NULL ? CS_ERROR : CS_OK;
}

static void teardown_keccak(cs_case *c)
{
    Hacl_Streaming_Keccak_free(c->state);
    c->state = NULL;
}

static int call_keccak(cs_case *c)
{
    Hacl_Streaming_Keccak_reset(c->state);
    if (Hacl_Streaming_Keccak_update(c->state, bytes_of(c->msg), (uint32_t)c->msg.len) != 0)
        return cs_fail("Hacl_Streaming_Keccak_update");
    return Hacl_Streaming_Keccak_squeeze(c->state, c->out, (uint32_t)c->out_len) == 0
               ? CS_OK
               : cs_fail("Hacl_Streaming_Keccak_squeeze");
}

static int call_shake128(cs_case *c)
{
    Hacl_SHA3_shake128_hacl((uint32_t)c->msg.len, bytes_of(c->msg), (uint32_t)c->out_len, c->out);
    return CS_OK;
}

static int call_shake256(cs_case *c)
{
    Hacl_SHA3_shake256_hacl((uint32_t)c->msg.len, bytes_of(c->msg), (uint32_t)c->out_len, c->out);
    return CS_OK;
}

/* ---- MAC: there is no keyed state, the key comes with each message ---- */

static int setup_hmac(cs_case *c)
{
    c->out_len = sha256.digest;
    return CS_OK;
}

static int call_hmac(cs_case *c)
{
    EverCrypt_HMAC_compute(sha256.algorithm, c->out, bytes_of(c->key), (uint32_t)c->key.len, bytes_of(c->msg),
                           (uint32_t)c->msg.len);
    return CS_OK;
}

static int call_hmac_plain(cs_case *c)
{
    Hacl_HMAC_compute_sha2_256(c->out, bytes_of(c->key), (uint32_t)c->key.len, bytes_of(c->msg), (uint32_t)c->msg.len);
    return CS_OK;
}

static int setup_poly1305(cs_case *c)
{
    c->out_len = 16;
    return CS_OK;
}

static int call_poly1305(cs_case *c)
{
    EverCrypt_Poly1305_poly1305(c->out, bytes_of(c->msg), (uint32_t)c->msg.len, bytes_of(c->key));
    return CS_OK;
}

struct mac {
    void (*compute)(uint8_t *tag, uint32_t len, uint8_t *text, uint8_t *key);
};
static const struct mac poly1305_32 = {.compute = Hacl_Poly1305_32_poly1305_mac};
#ifdef HACL_CAN_COMPILE_VEC128
static const struct mac poly1305_128 = {.compute = Hacl_Poly1305_128_poly1305_mac};
#endif
#ifdef HACL_CAN_COMPILE_VEC256
static const struct mac poly1305_256 = {.compute = Hacl_Poly1305_256_poly1305_mac};
#endif

static int call_direct_poly1305(cs_case *c)
{
    const struct mac *mac = c->op->param;

    mac->compute(c->out, (uint32_t)c->msg.len, bytes_of(c->msg), bytes_of(c->key));
    return CS_OK;
}

/* ---- what the processor and the build have ---- */

const char *no_vec128(const cs_op *op)
{
    (void)op;
    return EverCrypt_AutoConfig2_has_vec128() ? NULL : "HACL* says that there are no vectors of 128 bits here";
}

const char *no_vec256(const cs_op *op)
{
    (void)op;
    return EverCrypt_AutoConfig2_has_vec256() ? NULL : "HACL* says that there are no vectors of 256 bits here";
}

const char *no_adx(const cs_op *op)
{
    (void)op;
    return EverCrypt_AutoConfig2_has_bmi2() && EverCrypt_AutoConfig2_has_adx() ? NULL
                                                                               : "HACL* says that there is no ADX here";
}

const char *no_aes_gcm(const cs_op *op)
{
    (void)op;
#ifdef HACL_CAN_COMPILE_VALE
    if (EverCrypt_AutoConfig2_has_aesni() && EverCrypt_AutoConfig2_has_pclmulqdq() && EverCrypt_AutoConfig2_has_avx() &&
        EverCrypt_AutoConfig2_has_sse() && EverCrypt_AutoConfig2_has_movbe())
        return NULL;
#endif
    return "HACL* has AES-GCM for AES-NI, PCLMULQDQ, AVX and MOVBE alone, and in the assembly of Vale alone";
}

/* ---- rows ---- */

/* clang-format off */
#define HASH(ID, HASH) \
    {.id = ID "/hash", .impl = "default", .name = "EverCrypt_Hash_Incremental_init, _update, _finish", .setup = setup_hash, .call = call_hash, .teardown = teardown_hash, .param = &HASH}, \
    {.id = ID "/hash", .impl = "oneshot", .name = "EverCrypt_Hash_Incremental_hash", .setup = setup_oneshot, .call = call_oneshot, .param = &HASH}
#define DIRECT_HASH(ID, HASH, IMPL, FUNCTIONS, CANNOT) \
    {.id = ID "/hash", .impl = IMPL, .name = "Hacl_" IMPL, .setup = setup_##FUNCTIONS, .call = call_##FUNCTIONS, .teardown = teardown_##FUNCTIONS, .param = &HASH, .unavailable = CANNOT}
#define SHAKE(ID, HASH) \
    {.id = ID "/hash", .impl = "default", .name = "Hacl_Streaming_Keccak_reset, _update, _squeeze", .setup = setup_keccak, .call = call_keccak, .teardown = teardown_keccak, .param = &HASH}, \
    {.id = ID "/hash", .impl = "oneshot", .name = "Hacl_SHA3_" ID "_hacl", .setup = setup_oneshot, .call = call_##HASH, .param = &HASH}
#define POLY1305(IMPL, MAC, CANNOT) \
    {.id = "poly1305/mac", .impl = IMPL, .name = "Hacl_" IMPL "_poly1305_mac", .setup = setup_poly1305, .call = call_direct_poly1305, .rekey = cs_key_in_call, .param = &MAC, .unavailable = CANNOT}

static const cs_op rows[] = {
    HASH("md5", md5),
    HASH("sha-1", sha1),
    HASH("sha-256", sha256),
    DIRECT_HASH("sha-256", sha256, "Streaming_SHA2", sha2, NULL),
    HASH("sha-512", sha512),
    HASH("sha3-256", sha3_256),
    HASH("blake2b-512", blake2b),
    DIRECT_HASH("blake2b-512", blake2b, "Streaming_Blake2", blake2, NULL),
#ifdef HACL_CAN_COMPILE_VEC256
    DIRECT_HASH("blake2b-512", blake2b, "Streaming_Blake2b_256", blake2_256, no_vec256),
#endif
    HASH("sha-224", sha224),
    HASH("sha-384", sha384),
    HASH("sha3-384", sha3_384),
    HASH("sha3-512", sha3_512),
    SHAKE("shake128", shake128),
    SHAKE("shake256", shake256),
    HASH("blake2s-256", blake2s),
    DIRECT_HASH("blake2s-256", blake2s, "Streaming_Blake2", blake2s, NULL),
#ifdef HACL_CAN_COMPILE_VEC128
    DIRECT_HASH("blake2s-256", blake2s, "Streaming_Blake2s_128", blake2s_128, no_vec128),
#endif
    {.id = "hmac-sha-256/mac", .impl = "default", .name = "EverCrypt_HMAC_compute", .setup = setup_hmac, .call = call_hmac, .rekey = cs_key_in_call},
    {.id = "hmac-sha-256/mac", .impl = "HMAC", .name = "Hacl_HMAC_compute_sha2_256", .setup = setup_hmac, .call = call_hmac_plain, .rekey = cs_key_in_call},
    {.id = "poly1305/mac", .impl = "default", .name = "EverCrypt_Poly1305_poly1305", .setup = setup_poly1305, .call = call_poly1305, .rekey = cs_key_in_call},
    POLY1305("Poly1305_32", poly1305_32, NULL),
#ifdef HACL_CAN_COMPILE_VEC128
    POLY1305("Poly1305_128", poly1305_128, no_vec128),
#endif
#ifdef HACL_CAN_COMPILE_VEC256
    POLY1305("Poly1305_256", poly1305_256, no_vec256),
#endif
};
/* clang-format on */
static const cs_table digests = CS_TABLE(rows);

/* ---- library ---- */

#define FEATURE(NAME) {#NAME, EverCrypt_AutoConfig2_has_##NAME, EverCrypt_AutoConfig2_disable_##NAME}
static const struct {
    const char *name;
    _Bool (*has)(void);
    void (*disable)(void);
} features[] = {
    FEATURE(shaext), FEATURE(aesni), FEATURE(pclmulqdq), FEATURE(sse),    FEATURE(avx),    FEATURE(avx2),
    FEATURE(bmi2),   FEATURE(adx),   FEATURE(movbe),     FEATURE(rdrand), FEATURE(avx512),
};

/* Names with ':' between them; fails if none is known. */
static int hide_features(const char *names)
{
    int known = 0;

    while (*names != '\0') {
        const size_t len = strcspn(names, ":");
        for (size_t i = 0; i < CS_COUNT(features); i++)
            if (strlen(features[i].name) == len && strncmp(features[i].name, names, len) == 0) {
                features[i].disable();
                known = 1;
            }
        names += names[len] == ':' ? len + 1 : len;
    }
    return known ? CS_OK : cs_fail("HACL* knows none of the features that the mask hides");
}

static int open_library(void)
{
    const char *hidden = cs_hidden_features();

    EverCrypt_AutoConfig2_init();
    return hidden == NULL ? CS_OK : hide_features(hidden);
}

#define TEXT(X) #X
#define NUMBER_TEXT(X) TEXT(X)

/* What its header says: no function does. */
static const char *library_version(void)
{
    return NUMBER_TEXT(HACL_VERSION_MAJOR) "." NUMBER_TEXT(HACL_VERSION_MINOR) "." NUMBER_TEXT(HACL_VERSION_PATCH);
}

/* The features that it may use. */
static const char *library_cpu_path(void)
{
    static char text[128];

    text[0] = '\0';
    for (size_t i = 0; i < CS_COUNT(features); i++)
        if (features[i].has()) {
            const size_t used = strlen(text);
            (void)snprintf(text + used, sizeof text - used, "%s%s", used == 0 ? "" : " ", features[i].name);
        }
    return text;
}

static const cs_library library = {
    .abi = CS_ABI,
    .id = "hacl",
    .version = library_version,
    .version_from = "header",
    .cpu_path = library_cpu_path,
    .open = open_library,
    .tables = CS_TABLES(&digests, &hacl_aead, &hacl_mac, &hacl_keys, &hacl_bignum, &hacl_crt, &hacl_ffdh, &hacl_rsa,
                        &hacl_random, &hacl_kdf, &hacl_k256),
};

CS_WORKER_MAIN(library)
