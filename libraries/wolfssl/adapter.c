/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL 5.5 and later 5.x, by the functions of wolfCrypt: https://www.wolfssl.com/documentation/manuals/wolfssl/
 *
 * Contexts are structs of the caller's. Entry points: wc_Sha256Update and its like, wc_Hmac*, wc_Cmac*, wc_Poly1305*;
 * adapter_cipher.c has those of ciphers and of authenticated encryption, adapter_pkey.c, adapter_keys.c and
 * adapter_bignum.c those of public keys and numbers. Each file has its rows at its end.
 */
#include "adapter.h"

#include <wolfssl/ssl.h>

#include <wolfssl/wolfcrypt/blake2.h>
#include <wolfssl/wolfcrypt/cmac.h>
#include <wolfssl/wolfcrypt/cryptocb.h>
#include <wolfssl/wolfcrypt/hmac.h>
#include <wolfssl/wolfcrypt/md5.h>
#include <wolfssl/wolfcrypt/poly1305.h>
#include <wolfssl/wolfcrypt/ripemd.h>
#include <wolfssl/wolfcrypt/sha.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/sha3.h>
#include <wolfssl/wolfcrypt/sha512.h>
#include <wolfssl/wolfcrypt/siphash.h>

/* ---- library ---- */

/* The headers are of the caller's compiler: what they make of its types must be what the library was built with. */
static int open_library(void)
{
    if (!CheckCtcSettings() || !CheckFastMathSettings())
        return cs_fail("wolfSSL was built with other types than its headers give here");
    return from_wc(wolfCrypt_Init());
}

/* ---- randomness ---- */

WC_RNG random_state;

#ifdef WOLF_CRYPTO_CB
enum { COUNTING_DEVICE = 1 };

/* Sees what is asked of the generator, and leaves it to the library. */
static int count_drawn(int device, wc_CryptoInfo *info, void *context)
{
    (void)device;
    (void)context;
    if (info->algo_type == WC_ALGO_TYPE_RNG)
        cs_random_drawn(info->rng.sz);
    return CRYPTOCB_UNAVAILABLE;
}

static int open_generator(void)
{
    if (!cs_counts_random())
        return wc_InitRng(&random_state);
    if (wc_CryptoCb_RegisterDevice(COUNTING_DEVICE, count_drawn, NULL) != 0)
        return -1;
    return wc_InitRng_ex(&random_state, NULL, COUNTING_DEVICE);
}
#else
static int open_generator(void)
{
    return wc_InitRng(&random_state);
}
#endif

const char *seed_random(void)
{
    return open_generator() == 0 ? NULL : "wc_InitRng fails: no seed";
}

/* ---- hash ---- */

/* Taking the digest also sets the context back to its initial state. */
#define HASH(NAME, TYPE, INIT, UPDATE, FINAL, ONESHOT, BYTES)                                                          \
    static int NAME##_setup(cs_case *c)                                                                                \
    {                                                                                                                  \
        TYPE *s = cs_new_state(c, sizeof *s);                                                                          \
        c->out_len = BYTES;                                                                                            \
        return s == NULL ? CS_ERROR : from_wc(INIT);                                                                   \
    }                                                                                                                  \
    static int NAME##_call(cs_case *c)                                                                                 \
    {                                                                                                                  \
        TYPE *s = c->state;                                                                                            \
        int error = UPDATE(s, c->msg.data, (word32)c->msg.len);                                                        \
        return from_wc(error == 0 ? FINAL(s, c->out) : error);                                                         \
    }                                                                                                                  \
    static int NAME##_oneshot_setup(cs_case *c)                                                                        \
    {                                                                                                                  \
        c->out_len = BYTES;                                                                                            \
        return CS_OK;                                                                                                  \
    }                                                                                                                  \
    static int NAME##_oneshot(cs_case *c)                                                                              \
    {                                                                                                                  \
        return from_wc(ONESHOT(c->msg.data, (word32)c->msg.len, c->out));                                              \
    }

HASH(md5, wc_Md5, wc_InitMd5(s), wc_Md5Update, wc_Md5Final, wc_Md5Hash, WC_MD5_DIGEST_SIZE)
HASH(sha1, wc_Sha, wc_InitSha(s), wc_ShaUpdate, wc_ShaFinal, wc_ShaHash, WC_SHA_DIGEST_SIZE)
HASH(sha256, wc_Sha256, wc_InitSha256(s), wc_Sha256Update, wc_Sha256Final, wc_Sha256Hash, WC_SHA256_DIGEST_SIZE)
HASH(sha512, wc_Sha512, wc_InitSha512(s), wc_Sha512Update, wc_Sha512Final, wc_Sha512Hash, WC_SHA512_DIGEST_SIZE)
HASH(sha3, wc_Sha3, wc_InitSha3_256(s, NULL, INVALID_DEVID), wc_Sha3_256_Update, wc_Sha3_256_Final, wc_Sha3_256Hash,
     WC_SHA3_256_DIGEST_SIZE)

HASH(sha224, wc_Sha224, wc_InitSha224(s), wc_Sha224Update, wc_Sha224Final, wc_Sha224Hash, WC_SHA224_DIGEST_SIZE)
HASH(sha384, wc_Sha384, wc_InitSha384(s), wc_Sha384Update, wc_Sha384Final, wc_Sha384Hash, WC_SHA384_DIGEST_SIZE)
HASH(sha512_256, wc_Sha512, wc_InitSha512_256(s), wc_Sha512_256Update, wc_Sha512_256Final, wc_Sha512_256Hash,
     WC_SHA512_256_DIGEST_SIZE)
HASH(sha3_384, wc_Sha3, wc_InitSha3_384(s, NULL, INVALID_DEVID), wc_Sha3_384_Update, wc_Sha3_384_Final, wc_Sha3_384Hash,
     WC_SHA3_384_DIGEST_SIZE)
HASH(sha3_512, wc_Sha3, wc_InitSha3_512(s, NULL, INVALID_DEVID), wc_Sha3_512_Update, wc_Sha3_512_Final, wc_Sha3_512Hash,
     WC_SHA3_512_DIGEST_SIZE)

/* What a function of extendable output gives here is as long as the catalogue says. */
#define EXTENDABLE(NAME, BYTES)                                                                                        \
    static int finish_##NAME(wc_Shake *s, byte *out)                                                                   \
    {                                                                                                                  \
        return wc_##NAME##_Final(s, out, BYTES);                                                                       \
    }                                                                                                                  \
    static int compute_##NAME(const byte *data, word32 len, byte *out)                                                 \
    {                                                                                                                  \
        return wc_##NAME##Hash(data, len, out, BYTES);                                                                 \
    }
#ifdef WOLFSSL_SHAKE128
EXTENDABLE(Shake128, 32)
HASH(shake128, wc_Shake, wc_InitShake128(s, NULL, INVALID_DEVID), wc_Shake128_Update, finish_Shake128, compute_Shake128,
     32)
#endif
EXTENDABLE(Shake256, 64)
HASH(shake256, wc_Shake, wc_InitShake256(s, NULL, INVALID_DEVID), wc_Shake256_Update, finish_Shake256, compute_Shake256,
     64)

#ifdef HAVE_BLAKE2S
static int blake2s_setup(cs_case *c)
{
    c->out_len = BLAKE2S_OUTBYTES;
    return cs_new_state(c, sizeof(Blake2s)) == NULL ? CS_ERROR : CS_OK;
}

static int blake2s_call(cs_case *c)
{
    Blake2s *s = c->state;
    int error = wc_InitBlake2s(s, BLAKE2S_OUTBYTES);

    if (error == 0)
        error = wc_Blake2sUpdate(s, c->msg.data, (word32)c->msg.len);
    return from_wc(error == 0 ? wc_Blake2sFinal(s, c->out, BLAKE2S_OUTBYTES) : error);
}
#endif

#ifdef WOLFSSL_RIPEMD
static int ripemd_setup(cs_case *c)
{
    c->out_len = RIPEMD_DIGEST_SIZE;
    return cs_new_state(c, sizeof(RipeMd)) == NULL ? CS_ERROR : from_wc(wc_InitRipeMd(c->state));
}

static int ripemd_call(cs_case *c)
{
    int error = wc_RipeMdUpdate(c->state, c->msg.data, (word32)c->msg.len);

    return from_wc(error == 0 ? wc_RipeMdFinal(c->state, c->out) : error);
}
#endif

static int blake2b_setup(cs_case *c)
{
    c->out_len = BLAKE2B_OUTBYTES;
    return cs_new_state(c, sizeof(Blake2b)) == NULL ? CS_ERROR : CS_OK;
}

/* The digest leaves the context spent. */
static int blake2b_call(cs_case *c)
{
    Blake2b *s = c->state;
    int error = wc_InitBlake2b(s, BLAKE2B_OUTBYTES);

    if (error == 0)
        error = wc_Blake2bUpdate(s, c->msg.data, (word32)c->msg.len);
    return from_wc(error == 0 ? wc_Blake2bFinal(s, c->out, BLAKE2B_OUTBYTES) : error);
}

/* ---- mac ---- */

/* A row's `param`: the library's number of the hash, and the bytes of its digest. */
struct hmac_hash {
    int type;
    size_t bytes;
};

static int hmac_rekey(cs_case *c)
{
    const struct hmac_hash *hash = c->op->param;

    return from_wc(wc_HmacSetKey(c->state, hash->type, c->key.data, (word32)c->key.len));
}

static void hmac_teardown(cs_case *c)
{
    wc_HmacFree(c->state);
    cs_teardown_state(c);
}

static int hmac_setup(cs_case *c)
{
    const struct hmac_hash *hash = c->op->param;
    int status;

    if (cs_new_state(c, sizeof(Hmac)) == NULL)
        return CS_ERROR;
    status = from_wc(wc_HmacInit(c->state, NULL, INVALID_DEVID));
    if (status == CS_OK)
        status = hmac_rekey(c);
    c->out_len = hash->bytes;
    if (status != CS_OK)
        hmac_teardown(c);
    return status;
}

/* Taking the tag leaves the padded key, which the next message hashes again. */
static int hmac_call(cs_case *c)
{
    int error = wc_HmacUpdate(c->state, c->msg.data, (word32)c->msg.len);

    return from_wc(error == 0 ? wc_HmacFinal(c->state, c->out) : error);
}

#ifdef WOLFSSL_SIPHASH
static int siphash_oneshot_setup(cs_case *c)
{
    c->out_len = SIPHASH_MAC_SIZE_8;
    return CS_OK;
}

static int siphash_setup(cs_case *c)
{
    if (siphash_oneshot_setup(c) != CS_OK)
        return CS_ERROR;
    return cs_new_state(c, sizeof(SipHash)) == NULL ? CS_ERROR : CS_OK;
}

/* Taking the tag ends the state. */
static int siphash_call(cs_case *c)
{
    int error = wc_InitSipHash(c->state, c->key.data, SIPHASH_MAC_SIZE_8);

    if (error == 0)
        error = wc_SipHashUpdate(c->state, c->msg.data, (word32)c->msg.len);
    return from_wc(error == 0 ? wc_SipHashFinal(c->state, c->out, SIPHASH_MAC_SIZE_8) : error);
}

static int siphash_oneshot(cs_case *c)
{
    return from_wc(wc_SipHash(c->key.data, c->msg.data, (word32)c->msg.len, c->out, SIPHASH_MAC_SIZE_8));
}
#endif

static int cmac_setup(cs_case *c)
{
    c->out_len = AES_BLOCK_SIZE;
    return cs_new_state(c, sizeof(Cmac)) == NULL ? CS_ERROR : CS_OK;
}

/* Taking the tag wipes the context, key schedule included. */
static int cmac_call(cs_case *c)
{
    word32 len = AES_BLOCK_SIZE;
    int error = wc_InitCmac(c->state, c->key.data, (word32)c->key.len, WC_CMAC_AES, NULL);

    if (error == 0)
        error = wc_CmacUpdate(c->state, c->msg.data, (word32)c->msg.len);
    return from_wc(error == 0 ? wc_CmacFinal(c->state, c->out, &len) : error);
}

static int cmac_oneshot_setup(cs_case *c)
{
    c->out_len = AES_BLOCK_SIZE;
    return CS_OK;
}

static int cmac_oneshot(cs_case *c)
{
    word32 len = AES_BLOCK_SIZE;

    return from_wc(wc_AesCmacGenerate(c->out, &len, c->msg.data, (word32)c->msg.len, c->key.data, (word32)c->key.len));
}

static int poly1305_setup(cs_case *c)
{
    c->out_len = POLY1305_DIGEST_SIZE;
    return cs_new_state(c, sizeof(Poly1305)) == NULL ? CS_ERROR : CS_OK;
}

static int poly1305_call(cs_case *c)
{
    int error = wc_Poly1305SetKey(c->state, c->key.data, (word32)c->key.len);

    if (error == 0)
        error = wc_Poly1305Update(c->state, c->msg.data, (word32)c->msg.len);
    return from_wc(error == 0 ? wc_Poly1305Final(c->state, c->out) : error);
}

/* The MAC of the AEAD, which the library has as a function of its own. */
static int poly1305_framed(cs_case *c)
{
    int error = wc_Poly1305SetKey(c->state, c->key.data, (word32)c->key.len);

    return from_wc(error == 0 ? wc_Poly1305_MAC(c->state, c->aad.data, (word32)c->aad.len, c->msg.data,
                                                (word32)c->msg.len, c->out, POLY1305_DIGEST_SIZE)
                              : error);
}

/* ---- rows ---- */

/* clang-format off */
#define HASH_ROWS(ALGORITHM, CALLS, NAME)                                                                              \
    {.id = ALGORITHM "/hash", .impl = "default", .name = NAME "Update, " NAME "Final", .setup = CALLS##_setup, .call = CALLS##_call, .teardown = cs_teardown_state}, \
    {.id = ALGORITHM "/hash", .impl = "oneshot", .name = NAME "Hash", .setup = CALLS##_oneshot_setup, .call = CALLS##_oneshot}
#define HMAC_ROW(ALGORITHM, TYPE, BYTES)                                                                               \
    {.id = ALGORITHM "/mac", .impl = "default", .name = "wc_HmacUpdate, wc_HmacFinal", .setup = hmac_setup, .call = hmac_call, .rekey = hmac_rekey, .teardown = hmac_teardown, .param = &(const struct hmac_hash){TYPE, BYTES}}
#define CMAC_ROWS(ALGORITHM)                                                                                           \
    {.id = ALGORITHM "/mac", .impl = "default", .name = "wc_InitCmac, wc_CmacUpdate, wc_CmacFinal", .setup = cmac_setup, .call = cmac_call, .rekey = cs_key_in_call, .teardown = cs_teardown_state}, \
    {.id = ALGORITHM "/mac", .impl = "oneshot", .name = "wc_AesCmacGenerate", .setup = cmac_oneshot_setup, .call = cmac_oneshot, .rekey = cs_key_in_call}

static const cs_op rows[] = {
    HASH_ROWS("md5", md5, "wc_Md5"),
    HASH_ROWS("sha-1", sha1, "wc_Sha"),
    HASH_ROWS("sha-256", sha256, "wc_Sha256"),
    HASH_ROWS("sha-512", sha512, "wc_Sha512"),
    HASH_ROWS("sha3-256", sha3, "wc_Sha3_256"),
    {.id = "blake2b-512/hash", .impl = "default", .name = "wc_InitBlake2b, wc_Blake2bUpdate, wc_Blake2bFinal", .setup = blake2b_setup, .call = blake2b_call, .teardown = cs_teardown_state},

    HASH_ROWS("sha-224", sha224, "wc_Sha224"),
    HASH_ROWS("sha-384", sha384, "wc_Sha384"),
    HASH_ROWS("sha-512-256", sha512_256, "wc_Sha512_256"),
    HASH_ROWS("sha3-384", sha3_384, "wc_Sha3_384"),
    HASH_ROWS("sha3-512", sha3_512, "wc_Sha3_512"),
#ifdef WOLFSSL_SHAKE128
    HASH_ROWS("shake128", shake128, "wc_Shake128"),
#endif
    HASH_ROWS("shake256", shake256, "wc_Shake256"),
#ifdef HAVE_BLAKE2S
    {.id = "blake2s-256/hash", .impl = "default", .name = "wc_InitBlake2s, wc_Blake2sUpdate, wc_Blake2sFinal", .setup = blake2s_setup, .call = blake2s_call, .teardown = cs_teardown_state},
#endif

#ifdef WOLFSSL_RIPEMD
    {.id = "ripemd-160/hash", .impl = "default", .name = "wc_RipeMdUpdate, wc_RipeMdFinal", .setup = ripemd_setup, .call = ripemd_call, .teardown = cs_teardown_state},
#endif
    HMAC_ROW("hmac-sha-1", WC_SHA, WC_SHA_DIGEST_SIZE),
    HMAC_ROW("hmac-sha-256", WC_SHA256, WC_SHA256_DIGEST_SIZE),
    HMAC_ROW("hmac-sha-384", WC_SHA384, WC_SHA384_DIGEST_SIZE),
    HMAC_ROW("hmac-sha-512", WC_SHA512, WC_SHA512_DIGEST_SIZE),
#ifdef WOLFSSL_SIPHASH
    {.id = "siphash-2-4/mac", .impl = "default", .name = "wc_InitSipHash, wc_SipHashUpdate, wc_SipHashFinal", .setup = siphash_setup, .call = siphash_call, .rekey = cs_key_in_call, .teardown = cs_teardown_state},
    {.id = "siphash-2-4/mac", .impl = "oneshot", .name = "wc_SipHash", .setup = siphash_oneshot_setup, .call = siphash_oneshot, .rekey = cs_key_in_call},
#endif
    CMAC_ROWS("cmac-aes-128"),
    CMAC_ROWS("cmac-aes-256"),
    {.id = "poly1305/mac", .impl = "default", .name = "wc_Poly1305SetKey, wc_Poly1305Update, wc_Poly1305Final", .setup = poly1305_setup, .call = poly1305_call, .rekey = cs_key_in_call, .teardown = cs_teardown_state},

    {.id = "poly1305-framed/mac", .impl = "default", .name = "wc_Poly1305SetKey, wc_Poly1305_MAC", .setup = poly1305_setup, .call = poly1305_framed, .rekey = cs_key_in_call, .teardown = cs_teardown_state},
};
/* clang-format on */

static const cs_table hashes = CS_TABLE(rows);

static const cs_library library = {
    .abi = CS_ABI,
    .id = "wolfssl",
    .version = wolfSSL_lib_version,
    .version_from = "library",
    .cpu_path = NULL,
    .open = open_library,
    .tables = CS_TABLES(&hashes, &wolfssl_ciphers, &wolfssl_modes, &wolfssl_pkey, &wolfssl_keys, &wolfssl_rsa,
                        &wolfssl_import, &wolfssl_x509, &wolfssl_paths, &wolfssl_random, &wolfssl_pq, &wolfssl_curve448,
                        &wolfssl_ffdh, &wolfssl_dsa, &wolfssl_bignum, &wolfssl_bignum_crt, &wolfssl_kdf),
};

CS_WORKER_MAIN(library)
