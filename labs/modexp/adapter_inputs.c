/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory adapter: the numbers of a case, checked. Everything here is set-up.
 */
#include "adapter.h"

#include <stdio.h>
#include <string.h>

int lab_compare(cs_span a, cs_span b)
{
    return memcmp(a.data, b.data, a.len);
}

/* CS_OK if `number` has row.bits / divisor bits, all of its bytes and the top bit. */
static int check_length(const char *what, cs_span number, unsigned bits)
{
    char text[160];

    if (8 * number.len == bits && bits != 0 && number.data[0] >= 128) {
        return CS_OK;
    }
    snprintf(text, sizeof(text), "%s has %zu bytes%s: it must have exactly %u bits, the top one set", what, number.len,
             number.len != 0 && number.data[0] < 128 ? " and its top bit clear" : "", bits);
    return cs_fail(text);
}

int lab_key(void **key, const modexp_backend *backend, const lab_row *row, cs_span modulus, int crt)
{
    size_t size = backend->key_bytes(row->method.reduction, row->key_bits, crt);
    const char *wrong;

    if (check_length(crt ? "a prime" : "the modulus", modulus, row->key_bits) != CS_OK) {
        return CS_ERROR;
    }
    *key = cs_alloc(size);
    if (*key == NULL) {
        return cs_fail("no memory for the key block");
    }
    wrong = backend->key_set(*key, size, row->method.reduction, modulus.data, modulus.len, crt);
    return wrong == NULL ? CS_OK : cs_fail(wrong);
}

int lab_operands(void **limbs, const modexp_backend *backend, const lab_row *row, const cs_case *c, size_t count)
{
    size_t len = row->bits / 8, n = backend->limbs(row->bits), size = n * backend->limb_bytes;
    char text[120];

    if (c->msg.len != count * len) {
        snprintf(text, sizeof(text), "msg has %zu bytes: it must have %zu number(s) of %zu", c->msg.len, count, len);
        return cs_fail(text);
    }
    *limbs = cs_alloc(count * size);
    if (*limbs == NULL) {
        return cs_fail("no memory for the operands");
    }
    for (size_t i = 0; i < count; i++) {
        if (memcmp(c->msg.data + i * len, c->pub.data, len) >= 0) {
            return cs_fail(count > 1 ? "an operand in msg is not below the modulus"
                                     : "the base in msg is not below the modulus");
        }
        backend->load((uint8_t *)*limbs + i * size, n, c->msg.data + i * len, len);
    }
    return CS_OK;
}

/* r = a b, byte by byte, for two numbers of one length. */
static void multiply(uint8_t *r, cs_span a, cs_span b)
{
    memset(r, 0, 2 * a.len);
    for (size_t i = a.len; i-- > 0;) {
        unsigned carry = 0;

        for (size_t j = b.len; j-- > 0;) {
            carry += (unsigned)a.data[i] * b.data[j] + r[i + j + 1];
            r[i + j + 1] = (uint8_t)carry;
            carry >>= 8;
        }
        r[i] = (uint8_t)carry;
    }
}

int lab_crt_parts(lab_crt_key *parts, const lab_row *row, const cs_case *c)
{
    cs_span *const part[] = {&parts->p, &parts->q, &parts->dp, &parts->dq, &parts->q_inverse};
    size_t len = row->key_bits / 8;
    uint8_t product[MODEXP_MAX_BITS / 8];
    char text[120];

    if (c->key.len != CS_COUNT(part) * len) {
        snprintf(text, sizeof(text), "key has %zu bytes: it must have p, q, dP, dQ, qInv of %zu each", c->key.len, len);
        return cs_fail(text);
    }
    for (size_t i = 0; i < CS_COUNT(part); i++) {
        *part[i] = (cs_span){c->key.data + i * len, len};
    }
    if (lab_compare(parts->q_inverse, parts->p) >= 0) {
        return cs_fail("qInv is not below p");
    }
    if (c->msg.len != 2 * len) {
        snprintf(text, sizeof(text), "msg has %zu bytes: the base has %zu", c->msg.len, 2 * len);
        return cs_fail(text);
    }
    multiply(product, parts->p, parts->q);
    return lab_compare(c->msg, (cs_span){product, 2 * len}) < 0 ? CS_OK : cs_fail("the base in msg is not below p q");
}
