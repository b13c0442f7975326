/* SPDX-License-Identifier: Apache-2.0
 *
 * DSA with a modulus of 2048 bits and a subgroup order of 256: the domain parameters that keys are generated in, and
 * the parts of a key. All libraries get the same, because exponentiation depends on the bits of q and on the form of p.
 * They are the published ones of these sizes: p is of no special form, and no measured library has made them.
 */
#ifndef CIPHERSTONE_DSA_H
#define CIPHERSTONE_DSA_H

#include "cipherstone.h"
#include "cipherstone_encoding.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of p, g and y, and of q and x; of the domain parameters, a private key, a public key and a pair of them; where
 * q and g stand; bits. */
enum {
    CS_DSA_P = 256,
    CS_DSA_Q = 32,
    CS_DSA_AT_Q = CS_DSA_P,
    CS_DSA_AT_G = CS_DSA_P + CS_DSA_Q,
    CS_DSA_DOMAIN = 2 * CS_DSA_P + CS_DSA_Q,
    CS_DSA_KEY = CS_DSA_DOMAIN + CS_DSA_Q,
    CS_DSA_PAIR = CS_DSA_KEY + CS_DSA_DOMAIN + CS_DSA_P,
    CS_DSA_SIGNATURE = 2 * CS_DSA_Q,
    CS_DSA_P_BITS = 8 * CS_DSA_P,
    CS_DSA_Q_BITS = 8 * CS_DSA_Q
};

/* Numbers, most significant byte first. `x` is empty in a public key, `x` and `y` in domain parameters. */
typedef struct cs_dsa_key {
    cs_span p, q, g, x, y;
} cs_dsa_key;

extern const cs_dsa_key cs_dsa_rfc5114;

/* The numbers of `pub` and, where the case has one, of `key`, whose domain parameters are the same. */
cs_dsa_key cs_dsa_numbers(const cs_case *c);

/* A key pair in the domain parameters above as key generation writes it. Writes these, which both keys begin with, and
 * `out_len`; x and y are left to the caller. */
typedef struct cs_dsa_pair {
    uint8_t *x;
    uint8_t *y;
} cs_dsa_pair;
cs_dsa_pair cs_dsa_new_pair(cs_case *c);

/* The whole pair, from numbers of any length. */
int cs_dsa_put_pair(cs_case *c, cs_span x, cs_span y);

/* Domain parameters as their generation writes them, from numbers of any length. */
int cs_dsa_put_domain(cs_case *c, cs_span p, cs_span q, cs_span g);

#ifdef __cplusplus
}
#endif

#endif
