/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: the rows of the bignum family. The operations are in ../_bn.
 */
#include "bignum.h"
#include "adapter.h"

#define BIGNUM_EXP(ID, PARAMS)                                                                                         \
    BIGNUM(ID, PARAMS, "default", "BN_mod_exp_mont", bignum_exp_mont, finish, mont),                                   \
        BIGNUM(ID, PARAMS, "BN_mod_exp", "BN_mod_exp", bignum_exp, finish, nothing),                                   \
        BIGNUM(ID, PARAMS, "BN_mod_exp_mont_consttime", "BN_mod_exp_mont_consttime", bignum_exp_consttime, finish,     \
               mont)

static const cs_op rows[] = {
    BIGNUM_EXP("modexp/private", "crt=no"),
    BIGNUM_EXP("modexp/public", NULL),
    BIGNUM_WORDS,
    BIGNUM_CRT_ROW("default", "BN_mod_exp_mont, twice", bignum_crt),
    BIGNUM_CRT_ROW("BN_mod_exp_mont_consttime", "BN_mod_exp_mont_consttime, twice", bignum_crt_consttime),
#ifdef BIGNUM_X2
    BIGNUM_CRT_ROW("BN_mod_exp_mont_consttime_x2", "BN_mod_exp_mont_consttime_x2", bignum_crt_x2),
#endif
    BIGNUM("bignum/montmul", NULL, "default", "BN_mod_mul_montgomery", bignum_montmul, finish, first),
    BIGNUM("bignum/mod-add", NULL, "default", "BN_mod_add", bignum_add, finish, nothing),
    BIGNUM("bignum/mod-add", NULL, "BN_mod_add_quick", "BN_mod_add_quick", bignum_add_quick, finish, nothing),
    BIGNUM("bignum/mod-add", NULL, "add_sub", "BN_uadd, BN_ucmp, BN_usub", bignum_add_sub, finish, nothing),
    BIGNUM("bignum/mod-mul", NULL, "default", "BN_mod_mul", bignum_mul, finish, nothing),
    BIGNUM("bignum/mod-sqr", NULL, "default", "BN_mod_sqr", bignum_sqr, finish, nothing),
    BIGNUM("bignum/mod-inv", NULL, "default", "BN_mod_inverse", bignum_inv, finish, nothing),
    BIGNUM("bignum/mod-sqrt", NULL, "default", "BN_mod_sqrt", bignum_sqrt, finish_even_root, nothing),
    BIGNUM("bignum/div-mod", NULL, "default", "BN_div", bignum_div, finish_division, nothing),
};
const cs_table boringssl_bignum = CS_TABLE(rows);
