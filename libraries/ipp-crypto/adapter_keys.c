/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: ECDSA over P-256, and key pairs.
 *
 * Entry points: ippsGFpECSignDSA, ippsGFpECVerifyDSA, ippsGFpECPrivateKey, ippsGFpECPublicKey, ippsRSA_GenerateKeys.
 */
#include "adapter.h"

enum { FIELD_BITS = 256, SIGNATURE = 2 * CS_P256_BYTES, POINT_MARK = 1, PRIME_BITS = 1024 };

/* ---- P-256 ---- */

struct curve {
    struct contexts all;
    IppsGFpState *field;
    IppsGFpECState *group;
    IppsGFpECPoint *point;
    Ipp8u *scratch;
    IppsBigNumState *key, *once, *digest, *r, *s;
};

static int make_field(struct curve *s)
{
    IppStatus status;
    int size;

    status = ippsGFpGetSize(FIELD_BITS, &size);
    if (status >= ippStsNoErr && (s->field = new_context(&s->all, size)) == NULL)
        return CS_ERROR;
    if (status >= ippStsNoErr)
        status = ippsGFpInitFixed(FIELD_BITS, ippsGFpMethod_p256r1(), s->field);
    return from_ipp("ippsGFpInitFixed", status);
}

/* With the library's table of multiples of the base point, which it has compiled in and uses when told to. */
static int make_group(struct curve *s)
{
    IppStatus status;
    int size;

    status = ippsGFpECGetSize(s->field, &size);
    if (status >= ippStsNoErr && (s->group = new_context(&s->all, size)) == NULL)
        return CS_ERROR;
    if (status >= ippStsNoErr)
        status = ippsGFpECInitStd256r1(s->field, s->group);
    if (status >= ippStsNoErr)
        status = ippsGFpECBindGxyTblStd256r1(s->group);
    return from_ipp("ippsGFpECInitStd256r1", status);
}

static int make_point(struct curve *s)
{
    IppStatus status;
    int size;

    status = ippsGFpECPointGetSize(s->group, &size);
    if (status >= ippStsNoErr && (s->point = new_context(&s->all, size)) == NULL)
        return CS_ERROR;
    if (status >= ippStsNoErr)
        status = ippsGFpECPointInit(NULL, NULL, s->point, s->group);
    if (status >= ippStsNoErr)
        status = ippsGFpECScratchBufferSize(2, s->group, &size);
    if (status >= ippStsNoErr && (s->scratch = new_context(&s->all, size)) == NULL)
        return CS_ERROR;
    return from_ipp("ippsGFpECPointInit", status);
}

static struct curve *setup_curve(cs_case *c)
{
    struct curve *s = new_state(c, sizeof *s);
    int status;

    if (s == NULL)
        return NULL;
    status = make_field(s);
    if (status == CS_OK)
        status = make_group(s);
    if (status == CS_OK)
        status = make_point(s);
    if (status == CS_OK) {
        s->key = new_number(&s->all, CS_P256_BYTES);
        s->once = new_number(&s->all, CS_P256_BYTES);
        s->digest = new_number(&s->all, CS_P256_BYTES);
        s->r = new_number(&s->all, CS_P256_BYTES);
        s->s = new_number(&s->all, CS_P256_BYTES);
        if (s->key == NULL || s->once == NULL || s->digest == NULL || s->r == NULL || s->s == NULL)
            status = CS_ERROR;
    }
    if (status == CS_OK)
        return s;
    teardown(c);
    return NULL;
}

static int hash_message(const struct curve *s, cs_span msg)
{
    uint8_t digest[IPP_SHA256_DIGEST_BITSIZE / 8];
    const int status = sha256(msg, digest);

    return status == CS_OK ? set_number(s->digest, (cs_span){.data = digest, .len = sizeof digest}) : status;
}

int rekey_sign(cs_case *c)
{
    const struct curve *s = c->state;

    return set_number(s->key, c->key);
}

int setup_sign(cs_case *c)
{
    if (setup_curve(c) == NULL)
        return CS_ERROR;
    c->out_len = SIGNATURE;
    return rekey_sign(c) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
}

int call_sign(cs_case *c)
{
    struct curve *s = c->state;
    IppStatus status;

    if (hash_message(s, c->msg) != CS_OK)
        return CS_ERROR;
    status = ippsGFpECPrivateKey(s->once, s->group, random_bits, random_context);
    if (status >= ippStsNoErr)
        status = ippsGFpECSignDSA(s->digest, s->key, s->once, s->r, s->s, s->group, s->scratch);
    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out, CS_P256_BYTES, s->r);
    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out + CS_P256_BYTES, CS_P256_BYTES, s->s);
    return from_ipp("ippsGFpECSignDSA", status);
}

/* Setting a point checks nothing; that it is on the curve is asked apart. */
int rekey_verify(cs_case *c)
{
    struct curve *s = c->state;
    IppECResult result = ippECPointIsNotValid;
    IppStatus status = ippsGFpECSetPointOctString(c->pub.data + POINT_MARK, SIGNATURE, s->point, s->group);

    if (status >= ippStsNoErr)
        status = ippsGFpECTstPoint(s->point, &result, s->group);
    return status >= ippStsNoErr && result == ippECValid ? CS_OK : CS_BAD_KEY;
}

int setup_verify(cs_case *c)
{
    int status;

    if (cs_p256_point(c->pub) != CS_OK || setup_curve(c) == NULL)
        return CS_ERROR;
    status = rekey_verify(c);
    return status == CS_OK ? CS_OK : give_up(c, status);
}

int call_verify(cs_case *c)
{
    struct curve *s = c->state;
    IppECResult result = ippECInvalidSignature;
    IppStatus status;

    if (c->sig.len != SIGNATURE)
        return CS_REJECTED;
    if (hash_message(s, c->msg) != CS_OK)
        return CS_ERROR;
    status = ippsSetOctString_BN(c->sig.data, CS_P256_BYTES, s->r);
    if (status >= ippStsNoErr)
        status = ippsSetOctString_BN(c->sig.data + CS_P256_BYTES, CS_P256_BYTES, s->s);
    if (status >= ippStsNoErr)
        status = ippsGFpECVerifyDSA(s->digest, s->point, s->r, s->s, &result, s->group, s->scratch);
    if (status < ippStsNoErr)
        return failed("ippsGFpECVerifyDSA", status);
    return result == ippECValid ? CS_OK : CS_REJECTED;
}

int setup_p256_keygen(cs_case *c)
{
    if (setup_curve(c) == NULL)
        return CS_ERROR;
    c->out_len = CS_P256_BYTES + CS_P256_POINT;
    return CS_OK;
}

int call_p256_keygen(cs_case *c)
{
    struct curve *s = c->state;
    uint8_t *point = c->out + CS_P256_BYTES;
    IppStatus status = ippsGFpECPrivateKey(s->key, s->group, random_bits, random_context);

    if (status >= ippStsNoErr)
        status = ippsGFpECPublicKey(s->key, s->point, s->group, s->scratch);
    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out, CS_P256_BYTES, s->key);
    point[0] = 4;
    if (status >= ippStsNoErr)
        status = ippsGFpECGetPointOctString(s->point, point + POINT_MARK, SIGNATURE, s->group);
    return from_ipp("ippsGFpECPublicKey", status);
}

/* ---- RSA-2048 ---- */

struct rsa {
    struct contexts all;
    IppsRSAPrivateKeyState *pair;
    Ipp8u *scratch;
    IppsBigNumState *wanted, *exponent, *modulus, *part[CS_CRT_PARTS];
};

static int make_numbers(struct rsa *s)
{
    static const uint8_t f4[CS_RSA_EXPONENT] = {0, 1, 0, 1};

    s->wanted = number_of(&s->all, (cs_span){.data = f4, .len = sizeof f4});
    s->exponent = new_number(&s->all, CS_RSA_EXPONENT);
    s->modulus = new_number(&s->all, CS_RSA_MODULUS);
    if (s->wanted == NULL || s->exponent == NULL || s->modulus == NULL)
        return CS_ERROR;
    for (size_t i = 0; i < CS_CRT_PARTS; i++)
        if ((s->part[i] = new_number(&s->all, CS_RSA_PART)) == NULL)
            return CS_ERROR;
    return CS_OK;
}

int setup_rsa_keygen(cs_case *c)
{
    struct rsa *s = new_state(c, sizeof *s);
    IppStatus status;
    int size;

    if (s == NULL)
        return CS_ERROR;
    status = ippsRSA_GetSizePrivateKeyType2(PRIME_BITS, PRIME_BITS, &size);
    if (status >= ippStsNoErr && (s->pair = new_context(&s->all, size)) == NULL)
        return give_up(c, CS_ERROR);
    if (status >= ippStsNoErr)
        status = ippsRSA_InitPrivateKeyType2(PRIME_BITS, PRIME_BITS, s->pair, size);
    if (status >= ippStsNoErr)
        status = ippsRSA_GetBufferSizePrivateKey(&size, s->pair);
    if (status >= ippStsNoErr && (s->scratch = new_context(&s->all, size)) == NULL)
        return give_up(c, CS_ERROR);
    if (status < ippStsNoErr)
        return give_up(c, failed("ippsRSA_InitPrivateKeyType2", status));
    return make_numbers(s) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
}

/* The number of tests for primality is the library's choice. Where the second prime is not found within the candidates
 * that it allows itself, it warns of entropy, and is asked anew. */
int call_rsa_keygen(cs_case *c)
{
    struct rsa *s = c->state;
    int done;
    IppStatus status;

    do
        status = ippsRSA_GenerateKeys(s->wanted, s->modulus, s->exponent, NULL, s->pair, s->scratch, 0, NULL,
                                      random_bits, random_context);
    while (status == ippStsInsufficientEntropy);
    if (status >= ippStsNoErr)
        status = ippsRSA_GetPrivateKeyType2(s->part[CS_CRT_P], s->part[CS_CRT_Q], s->part[CS_CRT_DP],
                                            s->part[CS_CRT_DQ], s->part[CS_CRT_QINV], s->pair);
    if (status < ippStsNoErr)
        return failed("ippsRSA_GenerateKeys", status);
    c->out_len = 0;
    done = CS_OK;
    for (size_t i = 0; i < CS_CRT_PARTS && done == CS_OK; i++)
        done = take(c, s->part[i], CS_RSA_PART);
    if (done == CS_OK)
        done = take(c, s->modulus, CS_RSA_MODULUS);
    return done == CS_OK ? take(c, s->exponent, CS_RSA_EXPONENT) : done;
}
