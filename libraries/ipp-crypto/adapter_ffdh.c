/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: key agreement in finite fields.
 *
 * Entry points: ippsDLPSet, ippsDLPValidateKeyPair, ippsDLPSharedSecretDH, ippsDLPGenKeyPair.
 */
#include "adapter.h"
#include "ffdhe.h"

struct agreement {
    struct contexts all;
    const struct cs_ffdhe *of;
    IppsDLPState *group;
    IppsBigNumState *key, *pub, *share;
};

static int make_group(struct agreement *s)
{
    static const uint8_t generator[] = {CS_FFDHE_GENERATOR};
    const int bits = s->of->bits;
    IppsBigNumState *p = number_of(&s->all, (cs_span){.data = s->of->p, .len = s->of->bytes});
    IppsBigNumState *q = number_of(&s->all, (cs_span){.data = s->of->q, .len = s->of->bytes});
    IppsBigNumState *g = number_of(&s->all, (cs_span){.data = generator, .len = sizeof generator});
    IppStatus status;
    int size;

    if (p == NULL || q == NULL || g == NULL)
        return CS_ERROR;
    status = ippsDLPGetSize(bits, bits - 1, &size);
    if (status >= ippStsNoErr && (s->group = new_context(&s->all, size)) == NULL)
        return CS_ERROR;
    if (status >= ippStsNoErr)
        status = ippsDLPInit(bits, bits - 1, s->group);
    if (status >= ippStsNoErr)
        status = ippsDLPSet(p, q, g, s->group);
    return from_ipp("ippsDLPSet", status);
}

static struct agreement *setup_group(cs_case *c)
{
    struct agreement *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return NULL;
    s->of = c->op->param;
    s->key = new_number(&s->all, s->of->bytes);
    s->pub = new_number(&s->all, s->of->bytes);
    s->share = new_number(&s->all, s->of->bytes);
    if (s->key != NULL && s->pub != NULL && s->share != NULL && make_group(s) == CS_OK)
        return s;
    teardown(c);
    return NULL;
}

/* The peer's number is checked apart, as the points of curves are. */
static int setup_ffdh(cs_case *c)
{
    struct agreement *s = setup_group(c);
    IppDLResult result = ippDLInvalidPublicKey;

    if (s == NULL)
        return CS_ERROR;
    c->out_len = s->of->bytes;
    if (set_number(s->key, c->key) != CS_OK || set_number(s->pub, c->pub) != CS_OK)
        return give_up(c, CS_ERROR);
    if (ippsDLPValidateKeyPair(NULL, s->pub, &result, s->group) < ippStsNoErr || result != ippDLValid)
        return give_up(c, CS_BAD_KEY);
    return CS_OK;
}

static int call_ffdh(cs_case *c)
{
    struct agreement *s = c->state;
    IppStatus status = ippsDLPSharedSecretDH(s->key, s->pub, s->share, s->group);

    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out, (int)c->out_len, s->share);
    return from_ipp("ippsDLPSharedSecretDH", status);
}

static int setup_ffdh_keygen(cs_case *c)
{
    struct agreement *s = setup_group(c);

    if (s == NULL)
        return CS_ERROR;
    c->out_len = 2 * s->of->bytes;
    return CS_OK;
}

static int call_ffdh_keygen(cs_case *c)
{
    struct agreement *s = c->state;
    const int bytes = (int)s->of->bytes;
    IppStatus status = ippsDLPGenKeyPair(s->key, s->pub, s->group, random_bits, random_context);

    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out, bytes, s->key);
    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out + bytes, bytes, s->pub);
    return from_ipp("ippsDLPGenKeyPair", status);
}

/* ---- rows ---- */

/* clang-format off */
#define FFDH(ALGORITHM, GROUP)                                                                                         \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "ippsDLPSharedSecretDH", .setup = setup_ffdh, .call = call_ffdh, .rekey = cs_setup_again, .teardown = teardown, .param = &(GROUP)}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "ippsDLPGenKeyPair", .setup = setup_ffdh_keygen, .call = call_ffdh_keygen, .teardown = teardown, .param = &(GROUP), .seed = seed, .counts_random = 1}

static const cs_op rows[] = {
    FFDH("dh-2048", cs_ffdhe_2048),
    FFDH("dh-3072", cs_ffdhe_3072),
};
/* clang-format on */

const cs_table ipp_ffdh = CS_TABLE(rows);
