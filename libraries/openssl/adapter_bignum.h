/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of the bignum family, for the table in adapter.c. The operations are in adapter_bignum.c
 * and adapter_bignum_crt.c.
 */
#ifndef CIPHERSTONE_OPENSSL_BIGNUM_H
#define CIPHERSTONE_OPENSSL_BIGNUM_H

#include <stdbool.h>

#include <openssl/bn.h>

#include "session.h"

/* What a row keeps between calls beside its numbers: the row's `param`. */
struct bignum_kept {
    bool mont;  /* Montgomery's constants of the modulus */
    bool recp;  /* the modulus' reciprocal */
    bool first; /* the first factor in Montgomery form */
};
extern const struct bignum_kept bignum_nothing, bignum_mont, bignum_recp, bignum_first;

/* Numbers are parsed, and constants of the modulus made, in setup; `finish` encodes what the last call left. */
struct bignum {
    BN_CTX *ctx;
    BIGNUM *a, *b; /* msg: the base, the dividend, or two factors */
    BIGNUM *e;     /* key: the exponent */
    BIGNUM *m;     /* pub */
    BIGNUM *r;     /* the result */
    BIGNUM *q;     /* of a division: the quotient */
    BN_MONT_CTX *mont;
    BN_RECP_CTX *recp;
};

int bignum_setup(cs_case *c);
void bignum_teardown(cs_case *c);
int bignum_finish(cs_case *c);
int bignum_finish_even_root(cs_case *c);
int bignum_finish_division(cs_case *c);

int bignum_exp(cs_case *c);
int bignum_exp_mont(cs_case *c);
int bignum_exp_consttime(cs_case *c);
int bignum_exp_recp(cs_case *c);
int bignum_exp_simple(cs_case *c);
int bignum_montmul(cs_case *c);
int bignum_add(cs_case *c);
int bignum_add_quick(cs_case *c);
int bignum_add_sub(cs_case *c);
int bignum_mul(cs_case *c);
int bignum_mul_recp(cs_case *c);
int bignum_sqr(cs_case *c);
int bignum_sqr_recp(cs_case *c);
int bignum_inv(cs_case *c);
int bignum_sqrt(cs_case *c);
int bignum_div(cs_case *c);
int bignum_div_recp(cs_case *c);

int bignum_crt_setup(cs_case *c);
void bignum_crt_teardown(cs_case *c);
int bignum_crt(cs_case *c);
int bignum_crt_consttime(cs_case *c);
int bignum_crt_x2(cs_case *c);
int bignum_crt_finish(cs_case *c);

#define BIGNUM(BITS, VERB, IMPL, NAME, CALL, FINISH, KEPT)                                                             \
    {.id = "bignum-" #BITS "/" VERB,                                                                                   \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bignum_setup,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = bignum_teardown,                                                                                      \
     .param = &bignum_##KEPT,                                                                                          \
     .finish = bignum_##FINISH}
#define BIGNUM_EXP(BITS, VERB)                                                                                         \
    BIGNUM(BITS, VERB, "default", "BN_mod_exp_mont", bignum_exp_mont, finish, mont),                                   \
        BIGNUM(BITS, VERB, "BN_mod_exp", "BN_mod_exp", bignum_exp, finish, nothing),                                   \
        BIGNUM(BITS, VERB, "BN_mod_exp_mont_consttime", "BN_mod_exp_mont_consttime", bignum_exp_consttime, finish,     \
               mont),                                                                                                  \
        BIGNUM(BITS, VERB, "BN_mod_exp_recp", "BN_mod_exp_recp", bignum_exp_recp, finish, nothing),                    \
        BIGNUM(BITS, VERB, "BN_mod_exp_simple", "BN_mod_exp_simple", bignum_exp_simple, finish, nothing)
#define BIGNUM_EXPS(BITS) BIGNUM_EXP(BITS, "modexp-private"), BIGNUM_EXP(BITS, "modexp-public")
#define BIGNUM_MONTMUL(BITS) BIGNUM(BITS, "montmul", "default", "BN_mod_mul_montgomery", bignum_montmul, finish, first)
#define BIGNUM_FAMILY(BITS)                                                                                            \
    BIGNUM(BITS, "mod-add", "default", "BN_mod_add", bignum_add, finish, nothing),                                     \
        BIGNUM(BITS, "mod-add", "BN_mod_add_quick", "BN_mod_add_quick", bignum_add_quick, finish, nothing),            \
        BIGNUM(BITS, "mod-add", "add_sub", "BN_uadd, BN_ucmp, BN_usub", bignum_add_sub, finish, nothing),              \
        BIGNUM(BITS, "mod-mul", "default", "BN_mod_mul_reciprocal", bignum_mul_recp, finish, recp),                    \
        BIGNUM(BITS, "mod-mul", "BN_mod_mul", "BN_mod_mul", bignum_mul, finish, nothing),                              \
        BIGNUM(BITS, "mod-sqr", "default", "BN_mod_mul_reciprocal", bignum_sqr_recp, finish, recp),                    \
        BIGNUM(BITS, "mod-sqr", "BN_mod_sqr", "BN_mod_sqr", bignum_sqr, finish, nothing),                              \
        BIGNUM(BITS, "mod-inv", "default", "BN_mod_inverse", bignum_inv, finish, nothing),                             \
        BIGNUM(BITS, "mod-sqrt", "default", "BN_mod_sqrt", bignum_sqrt, finish_even_root, nothing),                    \
        BIGNUM(BITS, "div-mod", "default", "BN_div_recp", bignum_div_recp, finish_division, recp),                     \
        BIGNUM(BITS, "div-mod", "BN_div", "BN_div", bignum_div, finish_division, nothing)
#define BIGNUM_CRT_ROW(BITS, IMPL, NAME, CALL)                                                                         \
    {.id = "bignum-" #BITS "-crt/modexp-private",                                                                      \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bignum_crt_setup,                                                                                        \
     .call = CALL,                                                                                                     \
     .teardown = bignum_crt_teardown,                                                                                  \
     .finish = bignum_crt_finish}
#define BIGNUM_CRT(BITS)                                                                                               \
    BIGNUM_CRT_ROW(BITS, "default", "BN_mod_exp_mont, twice", bignum_crt),                                             \
        BIGNUM_CRT_ROW(BITS, "BN_mod_exp_mont_consttime", "BN_mod_exp_mont_consttime, twice", bignum_crt_consttime),   \
        BIGNUM_CRT_ROW(BITS, "BN_mod_exp_mont_consttime_x2", "BN_mod_exp_mont_consttime_x2", bignum_crt_x2)

#define BIGNUM_ROWS                                                                                                    \
    BIGNUM_EXPS(512), BIGNUM_EXPS(1024), BIGNUM_EXPS(2048), BIGNUM_EXPS(3072), BIGNUM_EXPS(4096), BIGNUM_EXPS(8192),   \
        BIGNUM_CRT(1024), BIGNUM_CRT(2048), BIGNUM_CRT(3072), BIGNUM_CRT(4096), BIGNUM_CRT(8192), BIGNUM_MONTMUL(512), \
        BIGNUM_MONTMUL(1024), BIGNUM_MONTMUL(2048), BIGNUM_MONTMUL(4096), BIGNUM_FAMILY(2048), BIGNUM_FAMILY(4096)

#endif
