/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: exponentiation, by the function for any modulus and by those of RSA.
 *
 * Entry points: ippsMontForm, ippsMontExp, ippsMontMul; ippsRSA_Encrypt, ippsRSA_Decrypt.
 */
#include "adapter.h"

/* `key` is either kind of RSA key, `mont` what ippsMontExp takes instead. */
struct power {
    struct contexts all;
    IppsBigNumState *base, *exponent, *modulus, *one, *form, *r;
    IppsMontState *mont;
    IppsRSAPublicKeyState *public_key;
    IppsRSAPrivateKeyState *private_key;
    Ipp8u *scratch;
};

/* `len`: of the modulus, and so of the result. */
static struct power *setup_base(cs_case *c, size_t len)
{
    struct power *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return NULL;
    s->base = number_of(&s->all, c->msg);
    s->r = new_number(&s->all, len);
    if (s->base != NULL && s->r != NULL)
        return s;
    teardown(c);
    return NULL;
}

static struct power *setup_numbers(cs_case *c)
{
    struct power *s = setup_base(c, c->pub.len);

    if (s == NULL)
        return NULL;
    s->exponent = number_of(&s->all, c->key);
    s->modulus = number_of(&s->all, c->pub);
    if (s->exponent != NULL && s->modulus != NULL)
        return s;
    teardown(c);
    return NULL;
}

static int bits_of(const IppsBigNumState *number)
{
    IppsBigNumSGN sign;
    int bits = 0;

    return ippsRef_BN(&sign, &bits, NULL, number) >= ippStsNoErr ? bits : 0;
}

/* The end of a setup: `status` and `size` are what ippsRSA_GetBufferSize... gave. */
static int new_scratch(cs_case *c, IppStatus status, int size)
{
    struct power *s = c->state;

    if (status < ippStsNoErr)
        return give_up(c, failed("ippsRSA_GetBufferSize", status));
    s->scratch = new_context(&s->all, size);
    return s->scratch != NULL ? CS_OK : give_up(c, CS_ERROR);
}

static int finish_power(cs_case *c)
{
    struct power *s = c->state;

    c->out_len = 0;
    return take(c, s->r, c->msg.len);
}

/* ---- any odd modulus ---- */

static int setup_power(cs_case *c)
{
    static const uint8_t one[] = {1};
    struct power *s = setup_numbers(c);
    Ipp32u *words;
    IppsBigNumSGN sign;
    IppStatus status;
    int bits, size, len;

    if (s == NULL)
        return CS_ERROR;
    s->form = new_number(&s->all, c->pub.len);
    s->one = number_of(&s->all, (cs_span){.data = one, .len = sizeof one});
    if (s->form == NULL || s->one == NULL)
        return give_up(c, CS_ERROR);
    status = ippsRef_BN(&sign, &bits, &words, s->modulus);
    len = (bits + 31) / 32;
    if (status >= ippStsNoErr)
        status = ippsMontGetSize(ippBinaryMethod, len, &size);
    if (status >= ippStsNoErr && (s->mont = new_context(&s->all, size)) == NULL)
        return give_up(c, CS_ERROR);
    if (status >= ippStsNoErr)
        status = ippsMontInit(ippBinaryMethod, len, s->mont);
    if (status >= ippStsNoErr)
        status = ippsMontSet(words, len, s->mont);
    return status >= ippStsNoErr ? CS_OK : give_up(c, failed("ippsMontSet", status));
}

/* ippsMontExp takes and gives Montgomery form. */
static int call_power(cs_case *c)
{
    struct power *s = c->state;
    IppStatus status = ippsMontForm(s->base, s->mont, s->form);

    if (status >= ippStsNoErr)
        status = ippsMontExp(s->form, s->exponent, s->mont, s->r);
    return from_ipp("ippsMontExp", status >= ippStsNoErr ? ippsMontMul(s->r, s->one, s->mont, s->r) : status);
}

/* ---- RSA without padding ---- */

IppsRSAPublicKeyState *public_key_of(struct contexts *all, const IppsBigNumState *n, const IppsBigNumState *e)
{
    const int bits = bits_of(n), exponent_bits = bits_of(e);
    IppsRSAPublicKeyState *key = NULL;
    int size;
    IppStatus status = ippsRSA_GetSizePublicKey(bits, exponent_bits, &size);

    if (status >= ippStsNoErr && (key = new_context(all, size)) == NULL)
        return NULL;
    if (status >= ippStsNoErr)
        status = ippsRSA_InitPublicKey(bits, exponent_bits, key, size);
    if (status >= ippStsNoErr)
        status = ippsRSA_SetPublicKey(n, e, key);
    return from_ipp("ippsRSA_SetPublicKey", status) == CS_OK ? key : NULL;
}

IppsRSAPrivateKeyState *crt_key_of(struct contexts *all, const cs_span part[CS_CRT_PARTS])
{
    IppsBigNumState *number[CS_CRT_PARTS];
    IppsRSAPrivateKeyState *key = NULL;
    IppStatus status;
    int p, q, size;

    for (size_t i = 0; i < CS_CRT_PARTS; i++)
        if ((number[i] = number_of(all, part[i])) == NULL)
            return NULL;
    p = bits_of(number[CS_CRT_P]);
    q = bits_of(number[CS_CRT_Q]);
    status = ippsRSA_GetSizePrivateKeyType2(p, q, &size);
    if (status >= ippStsNoErr && (key = new_context(all, size)) == NULL)
        return NULL;
    if (status >= ippStsNoErr)
        status = ippsRSA_InitPrivateKeyType2(p, q, key, size);
    if (status >= ippStsNoErr)
        status = ippsRSA_SetPrivateKeyType2(number[CS_CRT_P], number[CS_CRT_Q], number[CS_CRT_DP], number[CS_CRT_DQ],
                                            number[CS_CRT_QINV], key);
    return from_ipp("ippsRSA_SetPrivateKeyType2", status) == CS_OK ? key : NULL;
}

static int setup_public(cs_case *c)
{
    struct power *s = setup_numbers(c);
    IppStatus status;
    int size;

    if (s == NULL)
        return CS_ERROR;
    s->public_key = public_key_of(&s->all, s->modulus, s->exponent);
    if (s->public_key == NULL)
        return give_up(c, CS_ERROR);
    status = ippsRSA_GetBufferSizePublicKey(&size, s->public_key);
    return new_scratch(c, status, size);
}

static int call_public(cs_case *c)
{
    struct power *s = c->state;

    return from_ipp("ippsRSA_Encrypt", ippsRSA_Encrypt(s->base, s->r, s->public_key, s->scratch));
}

static int setup_private(cs_case *c)
{
    struct power *s = setup_numbers(c);
    IppStatus status;
    int bits, exponent_bits, size;

    if (s == NULL)
        return CS_ERROR;
    bits = bits_of(s->modulus);
    exponent_bits = bits_of(s->exponent);
    status = ippsRSA_GetSizePrivateKeyType1(bits, exponent_bits, &size);
    if (status >= ippStsNoErr && (s->private_key = new_context(&s->all, size)) == NULL)
        return give_up(c, CS_ERROR);
    if (status >= ippStsNoErr)
        status = ippsRSA_InitPrivateKeyType1(bits, exponent_bits, s->private_key, size);
    if (status >= ippStsNoErr)
        status = ippsRSA_SetPrivateKeyType1(s->modulus, s->exponent, s->private_key);
    if (status < ippStsNoErr)
        return give_up(c, failed("ippsRSA_SetPrivateKeyType1", status));
    status = ippsRSA_GetBufferSizePrivateKey(&size, s->private_key);
    return new_scratch(c, status, size);
}

static int setup_crt(cs_case *c)
{
    cs_span part[CS_CRT_PARTS];
    struct power *s;
    IppStatus status;
    int size;

    if (cs_crt_split(c->key, part) != CS_OK || (s = setup_base(c, c->msg.len)) == NULL)
        return CS_ERROR;
    s->private_key = crt_key_of(&s->all, part);
    if (s->private_key == NULL)
        return give_up(c, CS_ERROR);
    status = ippsRSA_GetBufferSizePrivateKey(&size, s->private_key);
    return new_scratch(c, status, size);
}

static int call_private(cs_case *c)
{
    struct power *s = c->state;

    return from_ipp("ippsRSA_Decrypt", ippsRSA_Decrypt(s->base, s->r, s->private_key, s->scratch));
}

/* ---- rows ---- */

/* clang-format off */
#define ROW(ID, PARAMS, IMPL, NAME, SETUP, CALL)                                                                       \
    {.id = ID, .impl = IMPL, .name = NAME, .setup = SETUP, .call = CALL, .teardown = teardown, .finish = finish_power, .params = PARAMS}

static const cs_op rows[] = {
    ROW("modexp/private", "crt=no", "default", "ippsMontForm, ippsMontExp, ippsMontMul", setup_power, call_power),
    ROW("modexp/private", "crt=no", "ippsRSA_Decrypt", "ippsRSA_Decrypt", setup_private, call_private),
    ROW("modexp/private", "crt=yes", "default", "ippsRSA_Decrypt", setup_crt, call_private),
    ROW("modexp/public", NULL, "default", "ippsMontForm, ippsMontExp, ippsMontMul", setup_power, call_power),
    ROW("modexp/public", NULL, "ippsRSA_Encrypt", "ippsRSA_Encrypt", setup_public, call_public),
};
/* clang-format on */

const cs_table ipp_power = CS_TABLE(rows);
