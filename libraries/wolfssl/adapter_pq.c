/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: ML-DSA and SLH-DSA, of 5.9 and later, where the build has them.
 *
 * Entry points: wc_MlDsaKey_*, wc_SlhDsaKey_*.
 */
#include "adapter.h"

#ifdef WOLFSSL_HAVE_MLDSA
#include <wolfssl/wolfcrypt/wc_mldsa.h>

#include <string.h>

enum { ML_DSA_SEED = 32 };

static const int ml_dsa_44 = WC_ML_DSA_44, ml_dsa_65 = WC_ML_DSA_65, ml_dsa_87 = WC_ML_DSA_87;

struct lattice {
    wc_MlDsaKey key;
    cs_span seed;
    word32 len; /* of what a call writes: the public key, or the signature */
};

static void mldsa_teardown(cs_case *c)
{
    struct lattice *s = c->state;

    wc_MlDsaKey_Free(&s->key);
    cs_teardown_state(c);
}

static struct lattice *mldsa_open(cs_case *c)
{
    const int *set = c->op->param;
    struct lattice *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return NULL;
    s->seed = cs_input(c, "seed");
    if (wc_MlDsaKey_Init(&s->key, NULL, INVALID_DEVID) != 0) {
        cs_teardown_state(c);
        return NULL;
    }
    if (wc_MlDsaKey_SetParams(&s->key, (byte)*set) == 0)
        return s;
    mldsa_teardown(c);
    return NULL;
}

static int mldsa_opened(cs_case *c, int error)
{
    if (error != 0)
        mldsa_teardown(c);
    return from_wc(error);
}

static int mldsa_keygen_setup(cs_case *c)
{
    struct lattice *s = mldsa_open(c);
    int size;

    if (s == NULL)
        return cs_fail("wc_MlDsaKey_Init");
    size = wc_MlDsaKey_PubSize(&s->key);
    s->len = size < 0 ? 0 : (word32)size;
    c->out_len = ML_DSA_SEED + s->len;
    return mldsa_opened(c, size < 0 ? size : 0);
}

/* wc_MlDsaKey_MakeKey draws the seed and forgets it; a private key is the seed here, so it is drawn in the open. */
static int mldsa_keygen_call(cs_case *c)
{
    struct lattice *s = c->state;
    word32 len = s->len;
    int error = 0;

    if (s->seed.data != NULL)
        memcpy(c->out, s->seed.data, ML_DSA_SEED);
    else
        error = wc_RNG_GenerateBlock(&random_state, c->out, ML_DSA_SEED);
    if (error == 0)
        error = wc_MlDsaKey_MakeKeyFromSeed(&s->key, c->out);
    return from_wc(error == 0 ? wc_MlDsaKey_ExportPubRaw(&s->key, c->out + ML_DSA_SEED, &len) : error);
}

static int mldsa_sign_setup(cs_case *c)
{
    struct lattice *s = mldsa_open(c);
    int size;

    if (s == NULL)
        return cs_fail("wc_MlDsaKey_Init");
    size = wc_MlDsaKey_SigSize(&s->key);
    s->len = size < 0 ? 0 : (word32)size;
    c->out_len = s->len;
    return mldsa_opened(c, size < 0 ? size : wc_MlDsaKey_MakeKeyFromSeed(&s->key, c->key.data));
}

static int mldsa_sign_call(cs_case *c)
{
    struct lattice *s = c->state;
    word32 len = s->len;

    return from_wc(wc_MlDsaKey_SignCtx(&s->key, NULL, 0, c->out, &len, c->msg.data, (word32)c->msg.len, &random_state));
}

/* FIPS 204 section 3.4: the random bytes are zeros. */
static int mldsa_sign_fixed_call(cs_case *c)
{
    static const byte zeros[ML_DSA_SEED];
    struct lattice *s = c->state;
    word32 len = s->len;

    return from_wc(wc_MlDsaKey_SignCtxWithSeed(&s->key, NULL, 0, c->out, &len, c->msg.data, (word32)c->msg.len, zeros));
}

static int mldsa_verify_setup(cs_case *c)
{
    struct lattice *s = mldsa_open(c);

    if (s == NULL)
        return cs_fail("wc_MlDsaKey_Init");
    return mldsa_opened(c, wc_MlDsaKey_ImportPubRaw(&s->key, c->pub.data, (word32)c->pub.len));
}

static int mldsa_verify_call(cs_case *c)
{
    struct lattice *s = c->state;
    int valid = 0;
    int error = wc_MlDsaKey_VerifyCtx(&s->key, c->sig.data, (word32)c->sig.len, NULL, 0, c->msg.data,
                                      (word32)c->msg.len, &valid);

    if (error == MEMORY_E)
        return from_wc(error);
    return error == 0 && valid == 1 ? CS_OK : CS_REJECTED;
}
#endif

#if defined(WOLFSSL_HAVE_SLHDSA) && defined(WOLFSSL_SLHDSA_SHA2)
#define HAS_SLH_DSA 1
#include <wolfssl/wolfcrypt/wc_slhdsa.h>

enum { SLH_DSA_N = 16 }; /* bytes of each part of a key of the sets named 128 */

static const int slh_dsa_128s = SLHDSA_SHA2_128S, slh_dsa_128f = SLHDSA_SHA2_128F;

struct stateless {
    SlhDsaKey key;
    cs_span seed;
    word32 len; /* of a signature */
};

static void slhdsa_teardown(cs_case *c)
{
    struct stateless *s = c->state;

    wc_SlhDsaKey_Free(&s->key);
    cs_teardown_state(c);
}

static struct stateless *slhdsa_open(cs_case *c)
{
    const int *set = c->op->param;
    struct stateless *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return NULL;
    s->seed = cs_input(c, "seed");
    if (wc_SlhDsaKey_Init(&s->key, (enum SlhDsaParam) * set, NULL, INVALID_DEVID) == 0)
        return s;
    cs_teardown_state(c);
    return NULL;
}

static int slhdsa_opened(cs_case *c, int error)
{
    if (error != 0)
        slhdsa_teardown(c);
    return from_wc(error);
}

static int slhdsa_keygen_setup(cs_case *c)
{
    if (slhdsa_open(c) == NULL)
        return cs_fail("wc_SlhDsaKey_Init");
    c->out_len = 6 * SLH_DSA_N;
    return CS_OK;
}

static int slhdsa_keygen_call(cs_case *c)
{
    struct stateless *s = c->state;
    const byte *seed = s->seed.data;
    word32 private_len = 4 * SLH_DSA_N, public_len = 2 * SLH_DSA_N;
    int error = seed == NULL ? wc_SlhDsaKey_MakeKey(&s->key, &random_state)
                             : wc_SlhDsaKey_MakeKeyWithRandom(&s->key, seed, SLH_DSA_N, seed + SLH_DSA_N, SLH_DSA_N,
                                                              seed + 2 * SLH_DSA_N, SLH_DSA_N);

    if (error == 0)
        error = wc_SlhDsaKey_ExportPrivate(&s->key, c->out, &private_len);
    return from_wc(error == 0 ? wc_SlhDsaKey_ExportPublic(&s->key, c->out + 4 * SLH_DSA_N, &public_len) : error);
}

static int slhdsa_sign_setup(cs_case *c)
{
    struct stateless *s = slhdsa_open(c);
    int size;

    if (s == NULL)
        return cs_fail("wc_SlhDsaKey_Init");
    size = wc_SlhDsaKey_SigSize(&s->key);
    s->len = size < 0 ? 0 : (word32)size;
    c->out_len = s->len;
    return slhdsa_opened(c, size < 0 ? size : wc_SlhDsaKey_ImportPrivate(&s->key, c->key.data, (word32)c->key.len));
}

static int slhdsa_sign_call(cs_case *c)
{
    struct stateless *s = c->state;
    word32 len = s->len;

    return from_wc(wc_SlhDsaKey_Sign(&s->key, NULL, 0, c->msg.data, (word32)c->msg.len, c->out, &len, &random_state));
}

static int slhdsa_sign_fixed_call(cs_case *c)
{
    struct stateless *s = c->state;
    word32 len = s->len;

    return from_wc(wc_SlhDsaKey_SignDeterministic(&s->key, NULL, 0, c->msg.data, (word32)c->msg.len, c->out, &len));
}

static int slhdsa_verify_setup(cs_case *c)
{
    struct stateless *s = slhdsa_open(c);

    if (s == NULL)
        return cs_fail("wc_SlhDsaKey_Init");
    return slhdsa_opened(c, wc_SlhDsaKey_ImportPublic(&s->key, c->pub.data, (word32)c->pub.len));
}

static int slhdsa_verify_call(cs_case *c)
{
    struct stateless *s = c->state;
    int error = wc_SlhDsaKey_Verify(&s->key, NULL, 0, c->msg.data, (word32)c->msg.len, c->sig.data, (word32)c->sig.len);

    if (error == MEMORY_E)
        return from_wc(error);
    return error == 0 ? CS_OK : CS_REJECTED;
}
#endif

/* ---- rows ---- */

#if defined(WOLFSSL_HAVE_MLDSA) || defined(HAS_SLH_DSA)
/* clang-format off */
#define PQ_ROWS(ALGORITHM, FAMILY, SET, MAKE, SIGN, SIGN_FIXED, VERIFY)                                                \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = MAKE, .setup = FAMILY##_keygen_setup, .call = FAMILY##_keygen_call, .teardown = FAMILY##_teardown, .param = &SET, .seed = seed_random, .counts_random = 1, .seeded = 1}, \
    {.id = ALGORITHM "/sign", .impl = "default", .name = SIGN, .setup = FAMILY##_sign_setup, .call = FAMILY##_sign_call, .rekey = cs_setup_again, .teardown = FAMILY##_teardown, .param = &SET, .seed = seed_random, .counts_random = 1}, \
    {.id = ALGORITHM "/sign", .impl = "deterministic", .name = SIGN_FIXED, .setup = FAMILY##_sign_setup, .call = FAMILY##_sign_fixed_call, .rekey = cs_setup_again, .teardown = FAMILY##_teardown, .param = &SET}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = VERIFY, .setup = FAMILY##_verify_setup, .call = FAMILY##_verify_call, .rekey = cs_setup_again, .teardown = FAMILY##_teardown, .param = &SET}
#define ML_DSA_ROWS(ALGORITHM, SET)                                                                                    \
    PQ_ROWS(ALGORITHM, mldsa, SET, "wc_MlDsaKey_MakeKeyFromSeed", "wc_MlDsaKey_SignCtx", "wc_MlDsaKey_SignCtxWithSeed", "wc_MlDsaKey_VerifyCtx")
#define SLH_DSA_ROWS(ALGORITHM, SET)                                                                                   \
    PQ_ROWS(ALGORITHM, slhdsa, SET, "wc_SlhDsaKey_MakeKey", "wc_SlhDsaKey_Sign", "wc_SlhDsaKey_SignDeterministic", "wc_SlhDsaKey_Verify")

static const cs_op rows[] = {
#ifdef WOLFSSL_HAVE_MLDSA
    ML_DSA_ROWS("ml-dsa-44", ml_dsa_44),
    ML_DSA_ROWS("ml-dsa-65", ml_dsa_65),
    ML_DSA_ROWS("ml-dsa-87", ml_dsa_87),
#endif
#ifdef HAS_SLH_DSA
    SLH_DSA_ROWS("slh-dsa-sha2-128s", slh_dsa_128s),
    SLH_DSA_ROWS("slh-dsa-sha2-128f", slh_dsa_128f),
#endif
};
/* clang-format on */

const cs_table wolfssl_pq = CS_TABLE(rows);
#else
const cs_table wolfssl_pq = {NULL, 0};
#endif
