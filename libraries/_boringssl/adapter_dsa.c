/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: DSA.
 */
#include <openssl/bn.h>
#include <openssl/dsa.h>

#include "dsa.h"
#include "adapter.h"

static void dsa_teardown(cs_case *c)
{
    DSA_free(c->state);
    c->state = NULL;
}

static BIGNUM *read_number(cs_span bytes)
{
    return BN_bin2bn(bytes.data, bytes.len, NULL);
}

/* A key without its own numbers. NULL if there is no memory. */
static DSA *new_domain(const cs_dsa_key *of)
{
    DSA *dsa = DSA_new();
    BIGNUM *p = read_number(of->p), *q = read_number(of->q), *g = read_number(of->g);

    if (dsa != NULL && p != NULL && q != NULL && g != NULL && DSA_set0_pqg(dsa, p, q, g) == 1)
        return dsa;
    BN_free(g);
    BN_free(q);
    BN_free(p);
    DSA_free(dsa);
    return NULL;
}

static int setup_key(cs_case *c)
{
    const cs_dsa_key of = cs_dsa_numbers(c);
    BIGNUM *y = read_number(of.y), *x = of.x.data != NULL ? read_number(of.x) : NULL;
    DSA *dsa = new_domain(&of);

    c->state = dsa;
    if (dsa != NULL && y != NULL && (x != NULL || of.x.data == NULL) && DSA_set0_key(dsa, y, x) == 1)
        return CS_OK;
    BN_clear_free(x);
    BN_free(y);
    dsa_teardown(c);
    return session_fail("DSA_set0_key");
}

static int dsa_sign_setup(cs_case *c)
{
    return setup_key(c);
}

static int dsa_verify_setup(cs_case *c)
{
    return setup_key(c);
}

static int dsa_sign_call(cs_case *c)
{
    uint8_t hash[SHA256_DIGEST_LENGTH];
    unsigned len = 0;

    SHA256(c->msg.data, c->msg.len, hash);
    if (DSA_sign(0, hash, sizeof hash, c->out, &len, c->state) != 1)
        return session_fail("DSA_sign");
    c->out_len = len;
    return CS_OK;
}

static int dsa_verify_call(cs_case *c)
{
    uint8_t hash[SHA256_DIGEST_LENGTH];

    SHA256(c->msg.data, c->msg.len, hash);
    return DSA_verify(0, hash, sizeof hash, c->sig.data, c->sig.len, c->state) == 1 ? CS_OK
                                                                                    : session_reject("DSA_verify");
}

static int dsa_generate_setup(cs_case *c)
{
    (void)c;
    return CS_OK;
}

static int put_number(const BIGNUM *number, uint8_t *out, size_t len)
{
    return number != NULL && BN_bn2bin_padded(out, len, number) == 1;
}

/* A key is drawn once for a DSA object; making one is part of the call. */
static int dsa_keygen_call(cs_case *c)
{
    const cs_dsa_pair pair = cs_dsa_new_pair(c);
    DSA *dsa = new_domain(&cs_dsa_rfc5114);
    int done = dsa != NULL && DSA_generate_key(dsa) == 1 && put_number(DSA_get0_priv_key(dsa), pair.x, CS_DSA_Q) &&
               put_number(DSA_get0_pub_key(dsa), pair.y, CS_DSA_P);

    DSA_free(dsa);
    return done ? CS_OK : session_fail("DSA_generate_key");
}

/* The length of q follows from that of p: 256 bits from 2048 on. */
static int dsa_paramgen_call(cs_case *c)
{
    DSA *dsa = DSA_new();
    int done = dsa != NULL && DSA_generate_parameters_ex(dsa, CS_DSA_P_BITS, NULL, 0, NULL, NULL, NULL) == 1 &&
               put_number(DSA_get0_p(dsa), c->out, CS_DSA_P) &&
               put_number(DSA_get0_q(dsa), c->out + CS_DSA_AT_Q, CS_DSA_Q) &&
               put_number(DSA_get0_g(dsa), c->out + CS_DSA_AT_G, CS_DSA_P);

    DSA_free(dsa);
    c->out_len = CS_DSA_DOMAIN;
    return done ? CS_OK : session_fail("DSA_generate_parameters_ex");
}

/* ---- rows ---- */

#define DSA_KEY_ROW(VERB, ...)                                                                                         \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = "SHA256, DSA_" #VERB,                                                                                     \
     .setup = dsa_##VERB##_setup,                                                                                      \
     .call = dsa_##VERB##_call,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = dsa_teardown,                                                                                         \
     .form = "der",                                                                                                    \
     __VA_ARGS__}
#define DSA_GENERATE_ROW(VERB, NAME)                                                                                   \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = dsa_generate_setup,                                                                                      \
     .call = dsa_##VERB##_call,                                                                                        \
     .seed = random_seed}

static const cs_op rows[] = {
    DSA_KEY_ROW(sign, .seed = random_seed),
    DSA_KEY_ROW(verify, .seeded = 0),
    DSA_GENERATE_ROW(keygen, "DSA_generate_key"),
    DSA_GENERATE_ROW(paramgen, "DSA_generate_parameters_ex"),
};
const cs_table boringssl_dsa = CS_TABLE(rows);
