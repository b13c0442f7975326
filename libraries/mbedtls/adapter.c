/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS 2.28 and 3.x through its mbedtls_* functions: the ones with a context that the caller owns. Here are hashes
 * and MACs, and the generator. NOTES.md says what each family pays for inside the timed region; lanes through PSA are
 * in adapter_psa.c.
 */
#include <stdio.h>

#include <mbedtls/version.h>

#include <mbedtls/cipher.h>
#include <mbedtls/cmac.h>
#include <mbedtls/entropy.h>
#include <mbedtls/md.h>
#include <mbedtls/poly1305.h>

#include "adapter.h"

static mbedtls_entropy_context entropy;
mbedtls_ctr_drbg_context cs_mbedtls_drbg;
int (*cs_mbedtls_random)(void *drbg, unsigned char *out, size_t len) = mbedtls_ctr_drbg_random;

static int fail(const char *function, int ret)
{
    char text[80];
    snprintf(text, sizeof text, "%s returned -0x%04x", function, (unsigned)-ret);
    return cs_fail(text);
}

int give_up(cs_case *c, const char *function, int ret)
{
    c->op->teardown(c);
    c->state = NULL;
    return fail(function, ret);
}

/* ---- hash and HMAC ---- */

static const mbedtls_md_type_t md5 = MBEDTLS_MD_MD5;
static const mbedtls_md_type_t sha1 = MBEDTLS_MD_SHA1;
static const mbedtls_md_type_t sha256 = MBEDTLS_MD_SHA256;
static const mbedtls_md_type_t sha512 = MBEDTLS_MD_SHA512;
static const mbedtls_md_type_t sha224 = MBEDTLS_MD_SHA224;
static const mbedtls_md_type_t sha384 = MBEDTLS_MD_SHA384;
static const mbedtls_md_type_t ripemd160 = MBEDTLS_MD_RIPEMD160;
#if MBEDTLS_VERSION_NUMBER >= 0x03050000
static const mbedtls_md_type_t sha3_256 = MBEDTLS_MD_SHA3_256;
static const mbedtls_md_type_t sha3_384 = MBEDTLS_MD_SHA3_384;
static const mbedtls_md_type_t sha3_512 = MBEDTLS_MD_SHA3_512;
#endif

static const char *md_unavailable(const cs_op *op)
{
    const mbedtls_md_type_t *type = op->param;
    return mbedtls_md_info_from_type(*type) != NULL ? NULL : "this build of Mbed TLS leaves the hash out";
}

static void teardown_md(cs_case *c)
{
    mbedtls_md_free(c->state);
    cs_free(c->state);
}

static int setup_md(cs_case *c, int hmac)
{
    const mbedtls_md_type_t *type = c->op->param;
    const mbedtls_md_info_t *info = mbedtls_md_info_from_type(*type);
    mbedtls_md_context_t *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_md_init(ctx);
    const int ret = mbedtls_md_setup(ctx, info, hmac);
    if (ret != 0)
        return give_up(c, "mbedtls_md_setup", ret);
    c->out_len = mbedtls_md_get_size(info);
    return CS_OK;
}

static int setup_hash(cs_case *c)
{
    return setup_md(c, 0);
}

static int call_hash(cs_case *c)
{
    mbedtls_md_context_t *ctx = c->state;
    int ret = mbedtls_md_starts(ctx);
    if (ret == 0)
        ret = mbedtls_md_update(ctx, c->msg.data, c->msg.len);
    if (ret == 0)
        ret = mbedtls_md_finish(ctx, c->out);
    return from_mbedtls(ret);
}

static int setup_hmac(cs_case *c)
{
    if (setup_md(c, 1) != CS_OK)
        return CS_ERROR;
    const int ret = mbedtls_md_hmac_starts(c->state, c->key.data, c->key.len);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_md_hmac_starts", ret);
}

static int rekey_hmac(cs_case *c)
{
    return from_mbedtls(mbedtls_md_hmac_starts(c->state, c->key.data, c->key.len));
}

static int call_hmac(cs_case *c)
{
    mbedtls_md_context_t *ctx = c->state;
    int ret = mbedtls_md_hmac_reset(ctx);
    if (ret == 0)
        ret = mbedtls_md_hmac_update(ctx, c->msg.data, c->msg.len);
    if (ret == 0)
        ret = mbedtls_md_hmac_finish(ctx, c->out);
    return from_mbedtls(ret);
}

/* ---- CMAC and Poly1305 ---- */

static const mbedtls_cipher_type_t aes128_ecb = MBEDTLS_CIPHER_AES_128_ECB;
static const mbedtls_cipher_type_t aes256_ecb = MBEDTLS_CIPHER_AES_256_ECB;

static void teardown_cmac(cs_case *c)
{
    mbedtls_cipher_free(c->state);
    cs_free(c->state);
}

static int setup_cmac(cs_case *c)
{
    const mbedtls_cipher_type_t *type = c->op->param;
    mbedtls_cipher_context_t *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_cipher_init(ctx);
    int ret = mbedtls_cipher_setup(ctx, mbedtls_cipher_info_from_type(*type));
    if (ret != 0)
        return give_up(c, "mbedtls_cipher_setup", ret);
    ret = mbedtls_cipher_cmac_starts(ctx, c->key.data, 8 * c->key.len);
    if (ret != 0)
        return give_up(c, "mbedtls_cipher_cmac_starts", ret);
    c->out_len = AES_BLOCK;
    return CS_OK;
}

static int rekey_cmac(cs_case *c)
{
    return from_mbedtls(mbedtls_cipher_cmac_starts(c->state, c->key.data, 8 * c->key.len));
}

static int call_cmac(cs_case *c)
{
    mbedtls_cipher_context_t *ctx = c->state;
    int ret = mbedtls_cipher_cmac_reset(ctx);
    if (ret == 0)
        ret = mbedtls_cipher_cmac_update(ctx, c->msg.data, c->msg.len);
    if (ret == 0)
        ret = mbedtls_cipher_cmac_finish(ctx, c->out);
    return from_mbedtls(ret);
}

static void teardown_poly1305(cs_case *c)
{
    mbedtls_poly1305_free(c->state);
    cs_free(c->state);
}

static int setup_poly1305(cs_case *c)
{
    mbedtls_poly1305_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_poly1305_init(ctx);
    c->out_len = AEAD_TAG;
    return CS_OK;
}

/* The key serves one message, so a new message is a new key to the library. */
static int call_poly1305(cs_case *c)
{
    mbedtls_poly1305_context *ctx = c->state;
    int ret = mbedtls_poly1305_starts(ctx, c->key.data);
    if (ret == 0)
        ret = mbedtls_poly1305_update(ctx, c->msg.data, c->msg.len);
    if (ret == 0)
        ret = mbedtls_poly1305_finish(ctx, c->out);
    return from_mbedtls(ret);
}

/* ---- the generator ---- */

static int counted_random(void *drbg, unsigned char *out, size_t len)
{
    cs_random_drawn(len);
    return mbedtls_ctr_drbg_random(drbg, out, len);
}

const char *seed_drbg(void)
{
    static const char purpose[] = "cipherstone";
    mbedtls_entropy_init(&entropy);
    mbedtls_ctr_drbg_init(&cs_mbedtls_drbg);
    if (cs_counts_random())
        cs_mbedtls_random = counted_random;
    const int ret = mbedtls_ctr_drbg_seed(&cs_mbedtls_drbg, mbedtls_entropy_func, &entropy, (const uint8_t *)purpose,
                                          sizeof purpose - 1);
    return ret == 0 ? NULL : "mbedtls_ctr_drbg_seed fails";
}

/* ---- rows ---- */

#define HASH_ROW(algorithm, label, type)                                                                               \
    {.id = algorithm "/hash",                                                                                          \
     .impl = "default",                                                                                                \
     .name = label,                                                                                                    \
     .setup = setup_hash,                                                                                              \
     .call = call_hash,                                                                                                \
     .teardown = teardown_md,                                                                                          \
     .param = &(type),                                                                                                 \
     .unavailable = md_unavailable}
#define CMAC_ROW(algorithm, label, type)                                                                               \
    {.id = algorithm "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = label,                                                                                                    \
     .setup = setup_cmac,                                                                                              \
     .call = call_cmac,                                                                                                \
     .rekey = rekey_cmac,                                                                                              \
     .teardown = teardown_cmac,                                                                                        \
     .param = &(type)}
#define HMAC_ROW(ALGORITHM, NAME, TYPE)                                                                                \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_hmac,                                                                                              \
     .call = call_hmac,                                                                                                \
     .rekey = rekey_hmac,                                                                                              \
     .teardown = teardown_md,                                                                                          \
     .param = &(TYPE),                                                                                                 \
     .unavailable = md_unavailable}

static const cs_op rows[] = {
    HASH_ROW("md5", "mbedtls_md MD5", md5),
    HASH_ROW("sha-1", "mbedtls_md SHA1", sha1),
    HASH_ROW("sha-256", "mbedtls_md SHA256", sha256),
    HASH_ROW("sha-512", "mbedtls_md SHA512", sha512),
    HASH_ROW("sha-224", "mbedtls_md SHA224", sha224),
    HASH_ROW("sha-384", "mbedtls_md SHA384", sha384),
#if MBEDTLS_VERSION_NUMBER >= 0x03050000
    HASH_ROW("sha3-256", "mbedtls_md SHA3_256", sha3_256),
    HASH_ROW("sha3-384", "mbedtls_md SHA3_384", sha3_384),
    HASH_ROW("sha3-512", "mbedtls_md SHA3_512", sha3_512),
#endif
    HASH_ROW("ripemd-160", "mbedtls_md RIPEMD160", ripemd160),
    HMAC_ROW("hmac-sha-1", "mbedtls_md_hmac SHA1", sha1),
    HMAC_ROW("hmac-sha-256", "mbedtls_md_hmac SHA256", sha256),
    HMAC_ROW("hmac-sha-384", "mbedtls_md_hmac SHA384", sha384),
    HMAC_ROW("hmac-sha-512", "mbedtls_md_hmac SHA512", sha512),
    CMAC_ROW("cmac-aes-128", "mbedtls_cipher_cmac AES_128_ECB", aes128_ecb),
    CMAC_ROW("cmac-aes-256", "mbedtls_cipher_cmac AES_256_ECB", aes256_ecb),
    ROW("poly1305/mac", "mbedtls_poly1305", poly1305, poly1305, cs_key_in_call),
};
static const cs_table digests = CS_TABLE(rows);

/* ---- the library ---- */

static const char *version(void)
{
    static char text[32];
    mbedtls_version_get_string(text);
    return text;
}

/* The library does not say what it detected; it says whether code for the CPU's instructions is compiled in. */
static const char *cpu_path(void)
{
    if (mbedtls_version_check_feature("MBEDTLS_AESNI_C") == 0)
        return "MBEDTLS_AESNI_C compiled in";
    if (mbedtls_version_check_feature("MBEDTLS_AESCE_C") == 0)
        return "MBEDTLS_AESCE_C compiled in";
    return NULL;
}

static const cs_library library = {
    .abi = CS_ABI,
    .id = "mbedtls",
    .version = version,
    .version_from = "library",
    .cpu_path = cpu_path,
    .tables = CS_TABLES(&digests, &mbedtls_ciphers, &mbedtls_modes, &mbedtls_curves, &mbedtls_ffdh, &mbedtls_bignum,
                        &mbedtls_crt, &mbedtls_keys, &mbedtls_rsa, &mbedtls_random, &mbedtls_import, &mbedtls_x509,
                        &mbedtls_oneshot, &mbedtls_psa, &mbedtls_kdf),
};

CS_WORKER_MAIN(library)
