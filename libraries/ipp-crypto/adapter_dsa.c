/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: DSA.
 *
 * Entry points: ippsDLPSet, ippsDLPSetKeyPair, ippsDLPGenKeyPair, ippsDLPSignDSA, ippsDLPVerifyDSA.
 */
#include "adapter.h"
#include "dsa.h"

/* `once` and `once_pub` are the pair of a signature, or of a key that is made. */
struct dsa {
    struct contexts all;
    IppsDLPState *group;
    IppsBigNumState *q, *key, *once, *once_pub, *digest, *reduced, *r, *s;
};

static int make_group(struct dsa *s, const cs_dsa_key *of)
{
    const IppsBigNumState *p = number_of(&s->all, of->p), *g = number_of(&s->all, of->g);
    IppStatus status;
    int size;

    s->q = number_of(&s->all, of->q);
    if (p == NULL || s->q == NULL || g == NULL)
        return CS_ERROR;
    status = ippsDLPGetSize(CS_DSA_P_BITS, CS_DSA_Q_BITS, &size);
    if (status >= ippStsNoErr && (s->group = new_context(&s->all, size)) == NULL)
        return CS_ERROR;
    if (status >= ippStsNoErr)
        status = ippsDLPInit(CS_DSA_P_BITS, CS_DSA_Q_BITS, s->group);
    if (status >= ippStsNoErr)
        status = ippsDLPSet(p, s->q, g, s->group);
    return from_ipp("ippsDLPSet", status);
}

static struct dsa *set_up(cs_case *c, const cs_dsa_key *of)
{
    struct dsa *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return NULL;
    s->key = new_number(&s->all, CS_DSA_Q);
    s->once = new_number(&s->all, CS_DSA_Q);
    s->once_pub = new_number(&s->all, CS_DSA_P);
    s->digest = new_number(&s->all, CS_DSA_Q);
    s->reduced = new_number(&s->all, CS_DSA_Q);
    s->r = new_number(&s->all, CS_DSA_Q);
    s->s = new_number(&s->all, CS_DSA_Q);
    if (s->key != NULL && s->once != NULL && s->once_pub != NULL && s->digest != NULL && s->reduced != NULL &&
        s->r != NULL && s->s != NULL && make_group(s, of) == CS_OK)
        return s;
    teardown(c);
    return NULL;
}

static int hash_message(const struct dsa *s, cs_span msg)
{
    uint8_t digest[CS_DSA_Q];
    const IppStatus status = ippsHashMessage_rmf(msg.data, (int)msg.len, digest, ippsHashMethod_SHA256_TT());

    if (status < ippStsNoErr)
        return failed("ippsHashMessage_rmf", status);
    return set_number(s->digest, (cs_span){.data = digest, .len = sizeof digest});
}

static int setup_dsa_sign(cs_case *c)
{
    const cs_dsa_key of = cs_dsa_numbers(c);
    struct dsa *s = set_up(c, &of);

    if (s == NULL)
        return CS_ERROR;
    c->out_len = CS_DSA_SIGNATURE;
    return set_number(s->key, of.x) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
}

/* The manual's order: the pair of this one signature is made and set first. The function takes a digest below q alone,
 * where the one that verifies reduces it. */
static int call_dsa_sign(cs_case *c)
{
    struct dsa *s = c->state;
    IppStatus status;

    if (hash_message(s, c->msg) != CS_OK)
        return CS_ERROR;
    status = ippsMod_BN(s->digest, s->q, s->reduced);
    if (status >= ippStsNoErr)
        status = ippsDLPGenKeyPair(s->once, s->once_pub, s->group, random_bits, random_context);
    if (status >= ippStsNoErr)
        status = ippsDLPSetKeyPair(s->once, s->once_pub, s->group);
    if (status >= ippStsNoErr)
        status = ippsDLPSignDSA(s->reduced, s->key, s->r, s->s, s->group);
    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out, CS_DSA_Q, s->r);
    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out + CS_DSA_Q, CS_DSA_Q, s->s);
    return from_ipp("ippsDLPSignDSA", status);
}

static int setup_dsa_verify(cs_case *c)
{
    const cs_dsa_key of = cs_dsa_numbers(c);
    struct dsa *s = set_up(c, &of);

    if (s == NULL)
        return CS_ERROR;
    if (set_number(s->once_pub, of.y) != CS_OK)
        return give_up(c, CS_ERROR);
    if (ippsDLPSetKeyPair(NULL, s->once_pub, s->group) < ippStsNoErr)
        return give_up(c, CS_BAD_KEY);
    return CS_OK;
}

static int call_dsa_verify(cs_case *c)
{
    struct dsa *s = c->state;
    IppDLResult result = ippDLInvalidSignature;
    IppStatus status;

    if (c->sig.len != CS_DSA_SIGNATURE)
        return CS_REJECTED;
    if (hash_message(s, c->msg) != CS_OK)
        return CS_ERROR;
    status = ippsSetOctString_BN(c->sig.data, CS_DSA_Q, s->r);
    if (status >= ippStsNoErr)
        status = ippsSetOctString_BN(c->sig.data + CS_DSA_Q, CS_DSA_Q, s->s);
    if (status >= ippStsNoErr)
        status = ippsDLPVerifyDSA(s->digest, s->r, s->s, &result, s->group);
    if (status < ippStsNoErr)
        return failed("ippsDLPVerifyDSA", status);
    return result == ippDLValid ? CS_OK : CS_REJECTED;
}

static int setup_dsa_keygen(cs_case *c)
{
    return set_up(c, &cs_dsa_rfc5114) != NULL ? CS_OK : CS_ERROR;
}

static int call_dsa_keygen(cs_case *c)
{
    struct dsa *s = c->state;
    const cs_dsa_pair pair = cs_dsa_new_pair(c);
    IppStatus status = ippsDLPGenKeyPair(s->once, s->once_pub, s->group, random_bits, random_context);

    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(pair.x, CS_DSA_Q, s->once);
    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(pair.y, CS_DSA_P, s->once_pub);
    return from_ipp("ippsDLPGenKeyPair", status);
}

/* ---- rows ---- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "dsa-2048-sha256/sign", .impl = "default", .name = "ippsDLPGenKeyPair, ippsDLPSignDSA", .setup = setup_dsa_sign, .call = call_dsa_sign, .rekey = cs_setup_again, .teardown = teardown, .form = "p1363", .seed = seed, .counts_random = 1},
    {.id = "dsa-2048-sha256/verify", .impl = "default", .name = "ippsDLPVerifyDSA", .setup = setup_dsa_verify, .call = call_dsa_verify, .rekey = cs_setup_again, .teardown = teardown, .form = "p1363"},
    {.id = "dsa-2048-sha256/keygen", .impl = "default", .name = "ippsDLPGenKeyPair", .setup = setup_dsa_keygen, .call = call_dsa_keygen, .teardown = teardown, .seed = seed, .counts_random = 1},
};
/* clang-format on */

const cs_table ipp_dsa = CS_TABLE(rows);
