/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: ECDSA, ECDH, multiples of a generator, and key pairs, on curves.
 *
 * Entry points: ippsGFpECSignDSA, ippsGFpECVerifyDSA, ippsGFpECPrivateKey, ippsGFpECPublicKey.
 */
#include "adapter.h"

enum { POINT_MARK = 1 };

/* ---- curves that the library has no name for, by their numbers ---- */

/* y^2 = x^3 + ax + b modulo p, with the point (x, y) of prime order. */
struct numbers {
    uint8_t p[CS_P256_BYTES], a[CS_P256_BYTES], b[CS_P256_BYTES];
    uint8_t x[CS_P256_BYTES], y[CS_P256_BYTES], order[CS_P256_BYTES];
};

/* RFC 5639 section 3.4. */
static const struct numbers brainpool = {
    .p = {0xa9, 0xfb, 0x57, 0xdb, 0xa1, 0xee, 0xa9, 0xbc, 0x3e, 0x66, 0x0a, 0x90, 0x9d, 0x83, 0x8d, 0x72,
          0x6e, 0x3b, 0xf6, 0x23, 0xd5, 0x26, 0x20, 0x28, 0x20, 0x13, 0x48, 0x1d, 0x1f, 0x6e, 0x53, 0x77},
    .a = {0x7d, 0x5a, 0x09, 0x75, 0xfc, 0x2c, 0x30, 0x57, 0xee, 0xf6, 0x75, 0x30, 0x41, 0x7a, 0xff, 0xe7,
          0xfb, 0x80, 0x55, 0xc1, 0x26, 0xdc, 0x5c, 0x6c, 0xe9, 0x4a, 0x4b, 0x44, 0xf3, 0x30, 0xb5, 0xd9},
    .b = {0x26, 0xdc, 0x5c, 0x6c, 0xe9, 0x4a, 0x4b, 0x44, 0xf3, 0x30, 0xb5, 0xd9, 0xbb, 0xd7, 0x7c, 0xbf,
          0x95, 0x84, 0x16, 0x29, 0x5c, 0xf7, 0xe1, 0xce, 0x6b, 0xcc, 0xdc, 0x18, 0xff, 0x8c, 0x07, 0xb6},
    .x = {0x8b, 0xd2, 0xae, 0xb9, 0xcb, 0x7e, 0x57, 0xcb, 0x2c, 0x4b, 0x48, 0x2f, 0xfc, 0x81, 0xb7, 0xaf,
          0xb9, 0xde, 0x27, 0xe1, 0xe3, 0xbd, 0x23, 0xc2, 0x3a, 0x44, 0x53, 0xbd, 0x9a, 0xce, 0x32, 0x62},
    .y = {0x54, 0x7e, 0xf8, 0x35, 0xc3, 0xda, 0xc4, 0xfd, 0x97, 0xf8, 0x46, 0x1a, 0x14, 0x61, 0x1d, 0xc9,
          0xc2, 0x77, 0x45, 0x13, 0x2d, 0xed, 0x8e, 0x54, 0x5c, 0x1d, 0x54, 0xc7, 0x2f, 0x04, 0x69, 0x97},
    .order = {0xa9, 0xfb, 0x57, 0xdb, 0xa1, 0xee, 0xa9, 0xbc, 0x3e, 0x66, 0x0a, 0x90, 0x9d, 0x83, 0x8d, 0x71,
              0x8c, 0x39, 0x7a, 0xa3, 0xb5, 0x61, 0xa6, 0xf7, 0x90, 0x1e, 0x0e, 0x82, 0x97, 0x48, 0x56, 0xa7},
};

/* SEC 2 section 2.4.1. */
static const struct numbers secp256k1 = {
    .p = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
          0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xfc, 0x2f},
    .a = {0},
    .b = {[CS_P256_BYTES - 1] = 7},
    .x = {0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62, 0x95, 0xce, 0x87, 0x0b, 0x07,
          0x02, 0x9b, 0xfc, 0xdb, 0x2d, 0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98},
    .y = {0x48, 0x3a, 0xda, 0x77, 0x26, 0xa3, 0xc4, 0x65, 0x5d, 0xa4, 0xfb, 0xfc, 0x0e, 0x11, 0x08, 0xa8,
          0xfd, 0x17, 0xb4, 0x48, 0xa6, 0x85, 0x54, 0x19, 0x9c, 0x47, 0xd0, 0x8f, 0xfb, 0x10, 0xd4, 0xb8},
    .order = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
              0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41},
};

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
static const struct standard brainpool256 = {
    .bits = 256, .bytes = CS_P256_BYTES, .digest_bytes = 32, .hash = ippsHashMethod_SHA256_TT, .numbers = &brainpool};
static const struct standard koblitz256 = {
    .bits = 256, .bytes = CS_P256_BYTES, .digest_bytes = 32, .hash = ippsHashMethod_SHA256_TT, .numbers = &secp256k1};
static const struct standard p256 = {256,
                                     CS_P256_BYTES,
                                     32,
                                     ippsGFpMethod_p256r1,
                                     ippsGFpECInitStd256r1,
                                     ippsGFpECBindGxyTblStd256r1,
                                     ippsHashMethod_SHA256_TT,
                                     NULL};
static const struct standard p384 = {384,
                                     CS_P384_BYTES,
                                     48,
                                     ippsGFpMethod_p384r1,
                                     ippsGFpECInitStd384r1,
                                     ippsGFpECBindGxyTblStd384r1,
                                     ippsHashMethod_SHA384,
                                     NULL};
static const struct standard p521 = {521,
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

/* An element of the field; NULL after it has reported a failure. */
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

/* With the library's table of multiples of the base point, which is compiled in and used only on request. */
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
    struct curve *s = cs_new_state(c, sizeof *s);
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

static int rekey_sign(cs_case *c)
{
    const struct curve *s = c->state;

    return set_number(s->key, c->key);
}

static int setup_sign(cs_case *c)
{
    const struct standard *of = c->op->param;

    if (setup_curve(c) == NULL)
        return CS_ERROR;
    c->out_len = 2 * of->bytes;
    return rekey_sign(c) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
}

static int call_sign(cs_case *c)
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

/* Setting a point checks nothing; a separate function checks that it is on the curve. */
static int rekey_verify(cs_case *c)
{
    struct curve *s = c->state;
    IppECResult result = ippECPointIsNotValid;
    IppStatus status =
        ippsGFpECSetPointOctString(c->pub.data + POINT_MARK, (int)(2 * s->of->bytes), s->point, s->group);

    if (status >= ippStsNoErr)
        status = ippsGFpECTstPoint(s->point, &result, s->group);
    return status >= ippStsNoErr && result == ippECValid ? CS_OK : CS_BAD_KEY;
}

static int setup_verify(cs_case *c)
{
    const struct standard *of = c->op->param;
    int status;

    if (cs_point(c->pub, of->bytes) != CS_OK || setup_curve(c) == NULL)
        return CS_ERROR;
    status = rekey_verify(c);
    return status == CS_OK ? CS_OK : give_up(c, status);
}

static int call_verify(cs_case *c)
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

static int setup_generator(cs_case *c)
{
    const struct standard *of = c->op->param;

    if (setup_curve(c) == NULL)
        return CS_ERROR;
    c->out_len = 2 * of->bytes + POINT_MARK;
    return rekey_sign(c) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
}

static int call_generator(cs_case *c)
{
    return from_ipp("ippsGFpECPublicKey", put_public(c->state, c->out));
}

static int setup_ec_keygen(cs_case *c)
{
    const struct standard *of = c->op->param;

    if (setup_curve(c) == NULL)
        return CS_ERROR;
    c->out_len = 3 * of->bytes + POINT_MARK;
    return CS_OK;
}

static int call_ec_keygen(cs_case *c)
{
    struct curve *s = c->state;
    IppStatus status = ippsGFpECPrivateKey(s->key, s->group, random_bits, random_context);

    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out, (int)s->of->bytes, s->key);
    if (status >= ippStsNoErr)
        status = put_public(s, c->out + s->of->bytes);
    return from_ipp("ippsGFpECPublicKey", status);
}

/* ---- ECDH ---- */

static int setup_ecdh(cs_case *c)
{
    const int status = setup_verify(c);
    const struct curve *s = c->state;

    if (status != CS_OK)
        return status;
    c->out_len = s->of->bytes;
    return set_number(s->key, c->key) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
}

static int call_ecdh(cs_case *c)
{
    struct curve *s = c->state;
    IppStatus status = ippsGFpECSharedSecretDH(s->key, s->point, s->r, s->group, s->scratch);

    if (status >= ippStsNoErr)
        status = ippsGetOctString_BN(c->out, (int)c->out_len, s->r);
    return from_ipp("ippsGFpECSharedSecretDH", status);
}

/* ---- agreement with an ephemeral key ---- */

static int setup_agree(cs_case *c)
{
    const struct standard *of = c->op->param;

    if (setup_curve(c) == NULL)
        return CS_ERROR;
    c->out_len = 3 * of->bytes + POINT_MARK;
    return CS_OK;
}

/* The one point holds the public value, and then the peer's. */
static int call_agree(cs_case *c)
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

/* ---- rows ---- */

/* clang-format off */
#define CURVE(ALGORITHM, KEYS, PARAM)                                                                                  \
    {.id = KEYS "/derive", .impl = "default", .name = "ippsGFpECSharedSecretDH", .setup = setup_ecdh, .call = call_ecdh, .rekey = cs_setup_again, .teardown = teardown, .param = &(PARAM)}, \
    {.id = ALGORITHM "/sign", .impl = "default", .name = "ippsGFpECPrivateKey, ippsGFpECSignDSA", .param = &(PARAM), .setup = setup_sign, .call = call_sign, .rekey = rekey_sign, .teardown = teardown, .form = "p1363", .seed = seed, .counts_random = 1}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = "ippsGFpECVerifyDSA", .param = &(PARAM), .setup = setup_verify, .call = call_verify, .rekey = rekey_verify, .teardown = teardown, .form = "p1363"}, \
    {.id = KEYS "/keygen", .impl = "default", .name = "ippsGFpECPrivateKey, ippsGFpECPublicKey", .param = &(PARAM), .setup = setup_ec_keygen, .call = call_ec_keygen, .teardown = teardown, .seed = seed, .counts_random = 1}
#define BASE(ID, PARAM)                                                                                                \
    {.id = ID "/multiply-base", .impl = "default", .name = "ippsGFpECPublicKey", .setup = setup_generator, .call = call_generator, .teardown = teardown, .param = &(PARAM)}
#define AGREE(ID, PARAM)                                                                                               \
    {.id = ID "/agree", .impl = "default", .name = "ippsGFpECPrivateKey, ippsGFpECPublicKey, ippsGFpECSharedSecretDH", .param = &(PARAM), .setup = setup_agree, .call = call_agree, .teardown = teardown, .rekey = cs_key_in_call, .seed = seed, .counts_random = 1}

static const cs_op rows[] = {
    CURVE("ecdsa-p256-sha256", "p-256", p256),
    CURVE("ecdsa-p384-sha384", "p-384", p384),
    CURVE("ecdsa-p521-sha512", "p-521", p521),
    CURVE("ecdsa-brainpoolp256r1-sha256", "brainpool-p256", brainpool256),
    CURVE("ecdsa-secp256k1-sha256", "secp256k1", koblitz256),
    BASE("p-256", p256),
    BASE("p-384", p384),
    BASE("p-521", p521),
    BASE("secp256k1", koblitz256),
    AGREE("p-256", p256),
    AGREE("p-384", p384),
};
/* clang-format on */

const cs_table ipp_curves = CS_TABLE(rows);
