/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: the rows of the bignum family, for the table in adapter.c. The operations are in
 * adapter_bignum.c and adapter_bignum_crt.c.
 */
#ifndef CIPHERSTONE_BORINGSSL_BIGNUM_H
#define CIPHERSTONE_BORINGSSL_BIGNUM_H

#include <stdbool.h>

#include <openssl/bn.h>

#include "adapter.h"

/* What a row keeps between calls beside its numbers: the row's `param`. */
struct bignum_kept {
    bool mont;  /* Montgomery's constants of the modulus */
    bool first; /* the first factor in Montgomery form */
};
extern const struct bignum_kept bignum_nothing, bignum_mont, bignum_first;

/* Numbers are parsed, and constants of the modulus made, in setup; `finish` encodes what the last call left. */
struct bignum {
    BN_CTX *ctx;
    BIGNUM *a, *b; /* msg: the base, the dividend, or two factors */
    BIGNUM *e;     /* key: the exponent */
    BIGNUM *m;     /* pub */
    BIGNUM *r;     /* the result */
    BIGNUM *q;     /* of a division: the quotient */
    BN_MONT_CTX *mont;
};

int bignum_setup(cs_case *c);
void bignum_teardown(cs_case *c);
int bignum_finish(cs_case *c);
int bignum_finish_even_root(cs_case *c);
int bignum_finish_division(cs_case *c);

int bignum_exp(cs_case *c);
int bignum_exp_mont(cs_case *c);
int bignum_exp_consttime(cs_case *c);
int bignum_montmul(cs_case *c);
int bignum_add(cs_case *c);
int bignum_add_quick(cs_case *c);
int bignum_add_sub(cs_case *c);
int bignum_mul(cs_case *c);
int bignum_sqr(cs_case *c);
int bignum_inv(cs_case *c);
int bignum_sqrt(cs_case *c);
int bignum_div(cs_case *c);

/* A private exponentiation by the Chinese remainder theorem. */
struct crt {
    BN_CTX *ctx;
    BIGNUM *base;
    BIGNUM *key[CS_CRT_PARTS];
    BIGNUM *base_p, *base_q, *m1, *m2;
    BIGNUM *r;
    BN_MONT_CTX *mont_p, *mont_q;
};

int bignum_crt_setup(cs_case *c);
void bignum_crt_teardown(cs_case *c);
int bignum_crt(cs_case *c);
int bignum_crt_consttime(cs_case *c);
int bignum_crt_finish(cs_case *c);
bool bignum_crt_reduce(struct crt *s);
bool bignum_crt_combine(struct crt *s);

#define BIGNUM_ROW(ID, PARAMS, IMPL, NAME, CALL, FINISH, KEPT)                                                         \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bignum_setup,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = bignum_teardown,                                                                                      \
     .param = &bignum_##KEPT,                                                                                          \
     .finish = bignum_##FINISH,                                                                                        \
     .params = PARAMS}
#define BIGNUM_EXP(ID, PARAMS)                                                                                         \
    BIGNUM_ROW(ID, PARAMS, "default", "BN_mod_exp_mont", bignum_exp_mont, finish, mont),                               \
        BIGNUM_ROW(ID, PARAMS, "BN_mod_exp", "BN_mod_exp", bignum_exp, finish, nothing),                               \
        BIGNUM_ROW(ID, PARAMS, "BN_mod_exp_mont_consttime", "BN_mod_exp_mont_consttime", bignum_exp_consttime, finish, \
                   mont)
#define BIGNUM_FAMILY                                                                                                  \
    BIGNUM_ROW("bignum/montmul", NULL, "default", "BN_mod_mul_montgomery", bignum_montmul, finish, first),             \
        BIGNUM_ROW("bignum/mod-add", NULL, "default", "BN_mod_add", bignum_add, finish, nothing),                      \
        BIGNUM_ROW("bignum/mod-add", NULL, "BN_mod_add_quick", "BN_mod_add_quick", bignum_add_quick, finish, nothing), \
        BIGNUM_ROW("bignum/mod-add", NULL, "add_sub", "BN_uadd, BN_ucmp, BN_usub", bignum_add_sub, finish, nothing),   \
        BIGNUM_ROW("bignum/mod-mul", NULL, "default", "BN_mod_mul", bignum_mul, finish, nothing),                      \
        BIGNUM_ROW("bignum/mod-sqr", NULL, "default", "BN_mod_sqr", bignum_sqr, finish, nothing),                      \
        BIGNUM_ROW("bignum/mod-inv", NULL, "default", "BN_mod_inverse", bignum_inv, finish, nothing),                  \
        BIGNUM_ROW("bignum/mod-sqrt", NULL, "default", "BN_mod_sqrt", bignum_sqrt, finish_even_root, nothing),         \
        BIGNUM_ROW("bignum/div-mod", NULL, "default", "BN_div", bignum_div, finish_division, nothing)
#define BIGNUM_CRT_ROW(IMPL, NAME, CALL)                                                                               \
    {.id = "modexp/private",                                                                                           \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bignum_crt_setup,                                                                                        \
     .call = CALL,                                                                                                     \
     .teardown = bignum_crt_teardown,                                                                                  \
     .finish = bignum_crt_finish,                                                                                      \
     .params = "crt=yes"}
#define BIGNUM_CRT                                                                                                     \
    BIGNUM_CRT_ROW("default", "BN_mod_exp_mont, twice", bignum_crt),                                                   \
        BIGNUM_CRT_ROW("BN_mod_exp_mont_consttime", "BN_mod_exp_mont_consttime, twice", bignum_crt_consttime)

#define BIGNUM_ROWS BIGNUM_EXP("modexp/private", "crt=no"), BIGNUM_EXP("modexp/public", NULL), BIGNUM_CRT, BIGNUM_FAMILY

#endif
