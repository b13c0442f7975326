/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: DSA.
 *
 * Entry points: wc_DsaSign_ex, wc_DsaVerify_ex, wc_MakeDsaKey, wc_MakeDsaParameters, wc_DsaExport*Raw.
 */
#include "adapter.h"
#include "dsa.h"

#include <wolfssl/wolfcrypt/dsa.h>
#include <wolfssl/wolfcrypt/sha256.h>

/* What is there of the five numbers, into a key that is initialised here. */
static int take(DsaKey *key, const cs_dsa_key *of)
{
    mp_int *const number[] = {&key->p, &key->q, &key->g, &key->y, &key->x};
    const cs_span span[] = {of->p, of->q, of->g, of->y, of->x};
    int error = wc_InitDsaKey(key);

    for (size_t i = 0; i < CS_COUNT(span) && span[i].data != NULL && error == 0; i++)
        error = mp_read_unsigned_bin(number[i], span[i].data, (word32)span[i].len);
    key->type = of->x.data != NULL ? DSA_PRIVATE : DSA_PUBLIC;
    return error;
}

/* wc_DsaSign takes the first 20 bytes of a digest; 5.6.2 brought functions that take its length. */
#if LIBWOLFSSL_VERSION_HEX >= 0x05006002
#define HAS_DSA_EX 1

struct dsa {
    DsaKey key;
    wc_Sha256 hash;
};

static void dsa_teardown(cs_case *c)
{
    struct dsa *s = c->state;

    wc_Sha256Free(&s->hash);
    wc_FreeDsaKey(&s->key);
    cs_teardown_state(c);
}

static int dsa_setup(cs_case *c)
{
    const cs_dsa_key of = cs_dsa_numbers(c);
    struct dsa *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    if (of.x.data != NULL)
        c->out_len = CS_DSA_SIGNATURE;
    error = take(&s->key, &of);
    if (error == 0)
        error = wc_InitSha256(&s->hash);
    if (error != 0)
        dsa_teardown(c);
    return from_wc(error);
}

static int digest(const cs_case *c, byte out[WC_SHA256_DIGEST_SIZE])
{
    struct dsa *s = c->state;
    int error = wc_Sha256Update(&s->hash, c->msg.data, (word32)c->msg.len);

    return error == 0 ? wc_Sha256Final(&s->hash, out) : error;
}

static int dsa_sign_call(cs_case *c)
{
    struct dsa *s = c->state;
    byte hash[WC_SHA256_DIGEST_SIZE];
    int error = digest(c, hash);

    return from_wc(error == 0 ? wc_DsaSign_ex(hash, sizeof hash, c->out, &s->key, &random_state) : error);
}

/* The function takes no length: the signature is looked at here, which only one length allows. Numbers that are out of
 * range are errors to it. */
static int dsa_verify_call(cs_case *c)
{
    struct dsa *s = c->state;
    byte hash[WC_SHA256_DIGEST_SIZE];
    int good = 0;
    int error;

    if (c->sig.len != CS_DSA_SIGNATURE)
        return CS_REJECTED;
    error = digest(c, hash);
    if (error != 0)
        return from_wc(error);
    error = wc_DsaVerify_ex(hash, sizeof hash, c->sig.data, &s->key, &good);
    if (error == MEMORY_E || error == MP_MEM)
        return from_wc(error);
    return error == 0 && good ? CS_OK : CS_REJECTED;
}
#endif

/* ---- keys and domain parameters ---- */

static int dsa_generate_setup(cs_case *c)
{
    return cs_new_state(c, sizeof(DsaKey)) == NULL ? CS_ERROR : CS_OK;
}

static void dsa_generate_teardown(cs_case *c)
{
    cs_teardown_state(c);
}

/* A key is filled once: making one of the domain parameters is part of the call. */
static int dsa_keygen_call(cs_case *c)
{
    DsaKey *key = c->state;
    byte x[CS_DSA_Q], y[CS_DSA_P];
    word32 x_len = sizeof x, y_len = sizeof y;
    int error = take(key, &cs_dsa_rfc5114);

    if (error == 0)
        error = wc_MakeDsaKey(&random_state, key);
    if (error == 0)
        error = wc_DsaExportKeyRaw(key, x, &x_len, y, &y_len);
    wc_FreeDsaKey(key);
    return error == 0 ? cs_dsa_put_pair(c, (cs_span){x, x_len}, (cs_span){y, y_len}) : from_wc(error);
}

/* The length of q follows from that of p: 256 bits with 2048. */
static int dsa_paramgen_call(cs_case *c)
{
    DsaKey *made = c->state;
    byte p[CS_DSA_P], q[CS_DSA_Q], g[CS_DSA_P];
    word32 p_len = sizeof p, q_len = sizeof q, g_len = sizeof g;
    int error = wc_InitDsaKey(made);

    if (error == 0)
        error = wc_MakeDsaParameters(&random_state, CS_DSA_P_BITS, made);
    if (error == 0)
        error = wc_DsaExportParamsRaw(made, p, &p_len, q, &q_len, g, &g_len);
    wc_FreeDsaKey(made);
    return error == 0 ? cs_dsa_put_domain(c, (cs_span){p, p_len}, (cs_span){q, q_len}, (cs_span){g, g_len})
                      : from_wc(error);
}

/* clang-format off */
static const cs_op rows[] = {
#ifdef HAS_DSA_EX
    {.id = "dsa-2048-sha256/sign", .impl = "default", .name = "wc_DsaSign_ex", .setup = dsa_setup, .call = dsa_sign_call, .rekey = cs_setup_again, .teardown = dsa_teardown, .form = "p1363", .seed = seed_random, .counts_random = 1},
    {.id = "dsa-2048-sha256/verify", .impl = "default", .name = "wc_DsaVerify_ex", .setup = dsa_setup, .call = dsa_verify_call, .rekey = cs_setup_again, .teardown = dsa_teardown, .form = "p1363"},
#endif
    {.id = "dsa-2048-sha256/keygen", .impl = "default", .name = "wc_MakeDsaKey", .setup = dsa_generate_setup, .call = dsa_keygen_call, .teardown = dsa_generate_teardown, .seed = seed_random, .counts_random = 1},
    {.id = "dsa-2048-sha256/paramgen", .impl = "default", .name = "wc_MakeDsaParameters", .setup = dsa_generate_setup, .call = dsa_paramgen_call, .teardown = dsa_generate_teardown, .seed = seed_random, .counts_random = 1},
};
/* clang-format on */

const cs_table wolfssl_dsa = CS_TABLE(rows);
