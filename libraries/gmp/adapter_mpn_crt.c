/* SPDX-License-Identifier: Apache-2.0
 *
 * GMP: exponentiation by the Chinese remainder theorem with functions that the manual calls side-channel silent only:
 * RFC 8017, 5.1.2, on arrays of limbs as long as a prime. There is no such lane `mpn`: mpn_powm is inside the library.
 *
 * Entry points: mpn_sec_powm, mpn_sec_div_r, mpn_sub_n, mpn_cnd_add_n, mpn_sec_mul, mpn_add_n, mpn_sec_add_1.
 */
#include <string.h>

#include "adapter.h"

struct crt_limbs {
    mp_size_t n;      /* of a prime */
    mp_bitcnt_t bits; /* of an exponent */
    mp_limb_t *key[CS_CRT_PARTS];
    mp_limb_t *base; /* 2n, as the power and the product are */
    mp_limb_t *m1, *m2, *product, *r, *scratch;
};

void mpn_crt_teardown(cs_case *c)
{
    struct crt_limbs *s = c->state;

    cs_free(s->key[0]);
    cs_free(s->scratch);
    cs_free(s);
    c->state = NULL;
}

static mp_size_t scratch_limbs(mp_size_t n, mp_bitcnt_t bits)
{
    mp_size_t most = mpn_largest(mpn_sec_powm_itch(2 * n, bits, n), mpn_sec_mul_itch(n, n));

    most = mpn_largest(most, mpn_sec_div_r_itch(2 * n, n));
    most = mpn_largest(most, mpn_sec_div_r_itch(n, n));
    return mpn_largest(most, mpn_sec_add_1_itch(n));
}

/* Primes fill their limbs, as sec_powm and sec_div_r want it; scratch memory is known before the call. */
int mpn_crt_setup(cs_case *c)
{
    const size_t limb = sizeof(mp_limb_t);
    cs_span part[CS_CRT_PARTS];
    struct crt_limbs *s;
    mp_size_t n;

    if (cs_crt_split(c->key, part) != CS_OK || cs_expect_length("msg", c->msg, 2 * part[CS_CRT_P].len) != CS_OK)
        return CS_ERROR;
    if (!mpn_takes_modulus(part[CS_CRT_P]) || !mpn_takes_modulus(part[CS_CRT_Q]))
        return cs_fail("a prime is not an odd number of whole limbs without leading zeros");
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    s->n = n = (mp_size_t)(part[CS_CRT_P].len / limb);
    s->bits = 8 * part[CS_CRT_P].len;
    s->key[0] = cs_alloc((size_t)(CS_CRT_PARTS + 8) * (size_t)n * limb);
    s->scratch = cs_alloc((size_t)scratch_limbs(n, s->bits) * limb);
    if (s->key[0] == NULL || s->scratch == NULL) {
        mpn_crt_teardown(c);
        return CS_ERROR;
    }
    for (size_t i = 0; i < CS_CRT_PARTS; i++) {
        s->key[i] = s->key[0] + i * (size_t)n;
        mpn_limbs_from(s->key[i], n, part[i].data, part[i].len);
    }
    s->base = s->key[0] + CS_CRT_PARTS * n;
    s->m1 = s->base + 2 * n;
    s->m2 = s->m1 + n;
    s->product = s->m2 + n;
    s->r = s->product + 2 * n;
    mpn_limbs_from(s->base, 2 * n, c->msg.data, c->msg.len);
    return CS_OK;
}

/* m1 = qInv (m1 - m2) mod p. */
static void difference_by_inverse(struct crt_limbs *s)
{
    const mp_limb_t *p = s->key[CS_CRT_P];
    mp_size_t n = s->n;
    mp_limb_t borrow;

    mpn_copyi(s->product, s->m2, n);
    mpn_sec_div_r(s->product, n, p, n, s->scratch);
    borrow = mpn_sub_n(s->m1, s->m1, s->product, n);
    mpn_cnd_add_n(borrow, s->m1, s->m1, p, n);
    mpn_sec_mul(s->product, s->m1, n, s->key[CS_CRT_QINV], n, s->scratch);
    mpn_sec_div_r(s->product, 2 * n, p, n, s->scratch);
    mpn_copyi(s->m1, s->product, n);
}

/* The base is as long as both primes: sec_powm reduces it. */
int mpn_sec_crt_call(cs_case *c)
{
    struct crt_limbs *s = c->state;
    mp_size_t n = s->n;
    mp_limb_t carry;

    mpn_sec_powm(s->m1, s->base, 2 * n, s->key[CS_CRT_DP], s->bits, s->key[CS_CRT_P], n, s->scratch);
    mpn_sec_powm(s->m2, s->base, 2 * n, s->key[CS_CRT_DQ], s->bits, s->key[CS_CRT_Q], n, s->scratch);
    difference_by_inverse(s);
    mpn_sec_mul(s->r, s->m1, n, s->key[CS_CRT_Q], n, s->scratch);
    carry = mpn_add_n(s->r, s->r, s->m2, n);
    mpn_sec_add_1(s->r + n, s->r + n, n, carry, s->scratch);
    return CS_OK;
}

int mpn_crt_finish(cs_case *c)
{
    struct crt_limbs *s = c->state;

    c->out_len = 0;
    return mpn_take(c, s->r, 2 * s->n, c->msg.len);
}

static const cs_op rows[] = {{.id = "modexp/private",
                              .impl = "mpn_sec",
                              .name = "mpn_sec_powm, twice",
                              .setup = mpn_crt_setup,
                              .call = mpn_sec_crt_call,
                              .teardown = mpn_crt_teardown,
                              .finish = mpn_crt_finish,
                              .params = "crt=yes"}};

const cs_table gmp_mpn_crt = CS_TABLE(rows);
