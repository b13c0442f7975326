/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: ECDSA, ECDH, multiples of a generator, and key pairs.
 *
 * Entry points: ippsGFpECSignDSA, ippsGFpECVerifyDSA, ippsGFpECPrivateKey, ippsGFpECPublicKey, ippsRSA_GenerateKeys.
 */
#include "adapter.h"
#include "adapter_numbers.h"

enum { POINT_MARK = 1 };

/* ---- P-256, P-384, P-521 ---- */

/* The row's `param`. `hash`: what goes with the curve; `numbers`: in the place of what else is named. */
struct standard {
    int bits;
    size_t bytes;
    size_t digest_bytes;
    const IppsGFpMethod *(IPP_CALL *method)(void);
    IppStatus(IPP_CALL *init)(const IppsGFpState *field, IppsGFpECState *group);
    IppStatus(IPP_CALL *tables)(IppsGFpECState *group);
    const IppsHashMethod *(IPP_CALL *hash)(void);
    const struct numbers *numbers;
};
const struct standard brainpool256 = {
    .bits = 256, .bytes = CS_P256_BYTES, .digest_bytes = 32, .hash = ippsHashMethod_SHA256_TT, .numbers = &brainpool};
const struct standard koblitz256 = {
    .bits = 256, .bytes = CS_P256_BYTES, .digest_bytes = 32, .hash = ippsHashMethod_SHA256_TT, .numbers = &secp256k1};
const struct standard p256 = {256,
                              CS_P256_BYTES,
                              32,
                              ippsGFpMethod_p256r1,
                              ippsGFpECInitStd256r1,
                              ippsGFpECBindGxyTblStd256r1,
                              ippsHashMethod_SHA256_TT,
                              NULL};
const struct standard p384 = {384,
                              CS_P384_BYTES,
                              48,
                              ippsGFpMethod_p384r1,
                              ippsGFpECInitStd384r1,
                              ippsGFpECBindGxyTblStd384r1,
                              ippsHashMethod_SHA384,
                              NULL};
const struct standard p521 = {521,
                              CS_P521_BYTES,
                              64,
                              ippsGFpMethod_p521r1,
                              ippsGFpECInitStd521r1,
                              ippsGFpECBindGxyTblStd521r1,
                              ippsHashMethod_SHA512,
                              NULL};

struct curve {
    struct contexts all;
    const struct standard *of;
    IppsGFpState *field;
    IppsGFpECState *group;
    IppsGFpECPoint *point;
    Ipp8u *scratch;
    IppsBigNumState *key, *once, *digest, *r, *s;
};

static int make_field_of(struct curve *s, const struct numbers *of)
{
    const IppsBigNumState *p = number_of(&s->all, (cs_span){.data = of->p, .len = sizeof of->p});

    if (p == NULL)
        return CS_ERROR;
    return from_ipp("ippsGFpInitArbitrary", ippsGFpInitArbitrary(p, s->of->bits, s->field));
}

static int make_field(struct curve *s)
{
    IppStatus status;
    int size;

    status = ippsGFpGetSize(s->of->bits, &size);
    if (status >= ippStsNoErr && (s->field = new_context(&s->all, size)) == NULL)
        return CS_ERROR;
    if (status >= ippStsNoErr && s->of->numbers != NULL)
        return make_field_of(s, s->of->numbers);
    if (status >= ippStsNoErr)
        status = ippsGFpInitFixed(s->of->bits, s->of->method(), s->field);
    return from_ipp("ippsGFpInitFixed", status);
}

/* An element of the field; NULL after the failure was told. */
static IppsGFpElement *element_of(struct curve *s, const uint8_t bytes[CS_P256_BYTES])
{
    IppsGFpElement *element = NULL;
    IppStatus status;
    int size;

    status = ippsGFpElementGetSize(s->field, &size);
    if (status >= ippStsNoErr && (element = new_context(&s->all, size)) == NULL)
        return NULL;
    if (status >= ippStsNoErr)
        status = ippsGFpElementInit(NULL, 0, element, s->field);
    if (status >= ippStsNoErr)
        status = ippsGFpSetElementOctString(bytes, CS_P256_BYTES, element, s->field);
    return from_ipp("ippsGFpSetElementOctString", status) == CS_OK ? element : NULL;
}

static int make_group_of(struct curve *s, const struct numbers *of)
{
    static const uint8_t one[] = {1};
    const IppsGFpElement *a = element_of(s, of->a), *b = element_of(s, of->b);
    const IppsGFpElement *x = element_of(s, of->x), *y = element_of(s, of->y);
    const IppsBigNumState *order = number_of(&s->all, (cs_span){.data = of->order, .len = sizeof of->order});
    const IppsBigNumState *cofactor = number_of(&s->all, (cs_span){.data = one, .len = sizeof one});
    IppStatus status;

    if (a == NULL || b == NULL || x == NULL || y == NULL || order == NULL || cofactor == NULL)
        return CS_ERROR;
    status = ippsGFpECInit(s->field, a, b, s->group);
    if (status >= ippStsNoErr)
        status = ippsGFpECSetSubgroup(x, y, order, cofactor, s->group);
    return from_ipp("ippsGFpECSetSubgroup", status);
}

/* With the library's table of multiples of the base point, which it has compiled in and uses when told to. */
static int make_group(struct curve *s)
{
    IppStatus status;
    int size;

    status = ippsGFpECGetSize(s->field, &size);
    if (status >= ippStsNoErr && (s->group = new_context(&s->all, size)) == NULL)
        return CS_ERROR;
    if (status >= ippStsNoErr && s->of->numbers != NULL)
        return make_group_of(s, s->of->numbers);
    if (status >= ippStsNoErr)
        status = s->of->init(s->field, s->group);
    if (status >= ippStsNoErr)
        status = s->of->tables(s->group);
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
    s->of = c->op->param;
    status = make_field(s);
    if (status == CS_OK)
        status = make_group(s);
    if (status == CS_OK)
        status = make_point(s);
    if (status == CS_OK) {
        s->key = new_number(&s->all, s->of->bytes);
        s->once = new_number(&s->all, s->of->bytes);
        s->digest = new_number(&s->all, s->of->bytes);
        s->r = new_number(&s->all, s->of->bytes);
        s->s = new_number(&s->all, s->of->bytes);
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
    uint8_t digest[IPP_SHA512_DIGEST_BITSIZE / 8];
    const IppStatus status = ippsHashMessage_rmf(msg.data, (int)msg.len, digest, s->of->hash());

    if (status < ippStsNoErr)
        return failed("ippsHashMessage_rmf", status);
    return set_number(s->digest, (cs_span){.data = digest, .len = s->of->digest_bytes});
}

int rekey_sign(cs_case *c)
{
    const struct curve *s = c->state;

    return set_number(s->key, c->key);
}

int setup_sign(cs_case *c)
{
    const struct standard *of = c->op->param;

    if (setup_curve(c) == NULL)
        return CS_ERROR;
    c->out_len = 2 * of->bytes;
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
        status = ippsGetOctString_BN(c->out, (int)s->of->bytes, s->r);
    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out + s->of->bytes, (int)s->of->bytes, s->s);
    return from_ipp("ippsGFpECSignDSA", status);
}

/* Setting a point checks nothing; that it is on the curve is asked apart. */
int rekey_verify(cs_case *c)
{
    struct curve *s = c->state;
    IppECResult result = ippECPointIsNotValid;
    IppStatus status =
        ippsGFpECSetPointOctString(c->pub.data + POINT_MARK, (int)(2 * s->of->bytes), s->point, s->group);

    if (status >= ippStsNoErr)
        status = ippsGFpECTstPoint(s->point, &result, s->group);
    return status >= ippStsNoErr && result == ippECValid ? CS_OK : CS_BAD_KEY;
}

int setup_verify(cs_case *c)
{
    const struct standard *of = c->op->param;
    int status;

    if (cs_point(c->pub, of->bytes) != CS_OK || setup_curve(c) == NULL)
        return CS_ERROR;
    status = rekey_verify(c);
    return status == CS_OK ? CS_OK : give_up(c, status);
}

int call_verify(cs_case *c)
{
    struct curve *s = c->state;
    IppECResult result = ippECInvalidSignature;
    IppStatus status;

    if (c->sig.len != 2 * s->of->bytes)
        return CS_REJECTED;
    if (hash_message(s, c->msg) != CS_OK)
        return CS_ERROR;
    status = ippsSetOctString_BN(c->sig.data, (int)s->of->bytes, s->r);
    if (status >= ippStsNoErr)
        status = ippsSetOctString_BN(c->sig.data + s->of->bytes, (int)s->of->bytes, s->s);
    if (status >= ippStsNoErr)
        status = ippsGFpECVerifyDSA(s->digest, s->point, s->r, s->s, &result, s->group, s->scratch);
    if (status < ippStsNoErr)
        return failed("ippsGFpECVerifyDSA", status);
    return result == ippECValid ? CS_OK : CS_REJECTED;
}

/* The multiple of the generator by `key`, as an uncompressed point. */
static IppStatus put_public(struct curve *s, uint8_t *out)
{
    IppStatus status = ippsGFpECPublicKey(s->key, s->point, s->group, s->scratch);

    out[0] = 4;
    if (status >= ippStsNoErr)
        status = ippsGFpECGetPointOctString(s->point, out + POINT_MARK, (int)(2 * s->of->bytes), s->group);
    return status;
}

int setup_generator(cs_case *c)
{
    const struct standard *of = c->op->param;

    if (setup_curve(c) == NULL)
        return CS_ERROR;
    c->out_len = 2 * of->bytes + POINT_MARK;
    return rekey_sign(c) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
}

int call_generator(cs_case *c)
{
    return from_ipp("ippsGFpECPublicKey", put_public(c->state, c->out));
}

int setup_ec_keygen(cs_case *c)
{
    const struct standard *of = c->op->param;

    if (setup_curve(c) == NULL)
        return CS_ERROR;
    c->out_len = 3 * of->bytes + POINT_MARK;
    return CS_OK;
}

int call_ec_keygen(cs_case *c)
{
    struct curve *s = c->state;
    IppStatus status = ippsGFpECPrivateKey(s->key, s->group, random_bits, random_context);

    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out, (int)s->of->bytes, s->key);
    if (status >= ippStsNoErr)
        status = put_public(s, c->out + s->of->bytes);
    return from_ipp("ippsGFpECPublicKey", status);
}

/* ---- RSA ---- */

struct rsa {
    struct contexts all;
    IppsRSAPrivateKeyState *pair;
    Ipp8u *scratch;
    IppsBigNumState *wanted, *exponent, *modulus, *part[CS_CRT_PARTS];
};

/* `param` is the length of the modulus in bits. */
static int bits_of(const cs_case *c)
{
    const int *bits = c->op->param;

    return *bits;
}

static int make_numbers(struct rsa *s, int bits)
{
    static const uint8_t f4[CS_RSA_EXPONENT] = {0, 1, 0, 1};

    s->wanted = number_of(&s->all, (cs_span){.data = f4, .len = sizeof f4});
    s->exponent = new_number(&s->all, CS_RSA_EXPONENT);
    s->modulus = new_number(&s->all, CS_RSA_MODULUS_OF(bits));
    if (s->wanted == NULL || s->exponent == NULL || s->modulus == NULL)
        return CS_ERROR;
    for (size_t i = 0; i < CS_CRT_PARTS; i++)
        if ((s->part[i] = new_number(&s->all, CS_RSA_PART_OF(bits))) == NULL)
            return CS_ERROR;
    return CS_OK;
}

int setup_rsa_keygen(cs_case *c)
{
    struct rsa *s = new_state(c, sizeof *s);
    IppStatus status;
    int prime_bits = bits_of(c) / 2, size;

    if (s == NULL)
        return CS_ERROR;
    status = ippsRSA_GetSizePrivateKeyType2(prime_bits, prime_bits, &size);
    if (status >= ippStsNoErr && (s->pair = new_context(&s->all, size)) == NULL)
        return give_up(c, CS_ERROR);
    if (status >= ippStsNoErr)
        status = ippsRSA_InitPrivateKeyType2(prime_bits, prime_bits, s->pair, size);
    if (status >= ippStsNoErr)
        status = ippsRSA_GetBufferSizePrivateKey(&size, s->pair);
    if (status >= ippStsNoErr && (s->scratch = new_context(&s->all, size)) == NULL)
        return give_up(c, CS_ERROR);
    if (status < ippStsNoErr)
        return give_up(c, failed("ippsRSA_InitPrivateKeyType2", status));
    return make_numbers(s, bits_of(c)) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
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
        done = take(c, s->part[i], CS_RSA_PART_OF(bits_of(c)));
    if (done == CS_OK)
        done = take(c, s->modulus, CS_RSA_MODULUS_OF(bits_of(c)));
    return done == CS_OK ? take(c, s->exponent, CS_RSA_EXPONENT) : done;
}

/* ---- ECDH ---- */

int setup_ecdh(cs_case *c)
{
    const int status = setup_verify(c);
    const struct curve *s = c->state;

    if (status != CS_OK)
        return status;
    c->out_len = s->of->bytes;
    return set_number(s->key, c->key) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
}

int call_ecdh(cs_case *c)
{
    struct curve *s = c->state;
    IppStatus status = ippsGFpECSharedSecretDH(s->key, s->point, s->r, s->group, s->scratch);

    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out, (int)c->out_len, s->r);
    return from_ipp("ippsGFpECSharedSecretDH", status);
}

/* ---- agreement with an ephemeral key ---- */

int setup_agree(cs_case *c)
{
    const struct standard *of = c->op->param;

    if (setup_curve(c) == NULL)
        return CS_ERROR;
    c->out_len = 3 * of->bytes + POINT_MARK;
    return CS_OK;
}

/* The one point holds the public value, and then the peer's. */
int call_agree(cs_case *c)
{
    struct curve *s = c->state;
    const size_t bytes = s->of->bytes, point = 2 * bytes + POINT_MARK;
    IppStatus status = ippsGFpECPrivateKey(s->key, s->group, random_bits, random_context);

    if (status >= ippStsNoErr)
        status = put_public(s, c->out);
    if (status < ippStsNoErr)
        return failed("ippsGFpECPublicKey", status);
    if (rekey_verify(c) != CS_OK)
        return CS_BAD_KEY;
    status = ippsGFpECSharedSecretDH(s->key, s->point, s->r, s->group, s->scratch);
    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out + point, (int)bytes, s->r);
    return from_ipp("ippsGFpECSharedSecretDH", status);
}
