/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of modular arithmetic, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_BIGNUM_H
#define CIPHERSTONE_WOLFSSL_BIGNUM_H

#include "adapter.h"

#include <wolfssl/wolfcrypt/integer.h>

int one_setup(cs_case *c);
int two_setup(cs_case *c);
int montgomery_setup(cs_case *c);
int numbers_finish(cs_case *c);
int division_finish(cs_case *c);
void numbers_teardown(cs_case *c);
int exptmod_call(cs_case *c);
int exptmod_nct_call(cs_case *c);
int montgomery_call(cs_case *c);
int addmod_call(cs_case *c);
int addmod_ct_call(cs_case *c);
int add_sub_call(cs_case *c);
int mulmod_call(cs_case *c);
int sqrmod_call(cs_case *c);
int invmod_call(cs_case *c);
int div_call(cs_case *c);

int crt_setup(cs_case *c);
int crt_call(cs_case *c);
int crt_nct_call(cs_case *c);
int crt_finish(cs_case *c);
void crt_teardown(cs_case *c);

int rsa_private_setup(cs_case *c);
int rsa_private_call(cs_case *c);
int rsa_public_setup(cs_case *c);
int rsa_public_call(cs_case *c);
void rsa_teardown(cs_case *c);

/* A modulus has at most SP_INT_BITS bits. */
#if SP_INT_BITS >= 8192
#define MODULI "bits=512|1024|2048|3072|4096|8192"
#else
#define MODULI "bits=512|1024|2048|3072|4096"
#endif
#define RSA_MODULI "bits=1024|2048|3072|4096"

/* clang-format off */
#define NUMBERS_ROW(ID, PARAMS, IMPL, NAME, SETUP, CALL)                                                               \
    {.id = ID, .impl = IMPL, .name = NAME, .setup = SETUP, .call = CALL, .teardown = numbers_teardown, .finish = numbers_finish, .params = PARAMS}
#define CRT_ROW(IMPL, NAME, CALL)                                                                                      \
    {.id = "modexp/private", .impl = IMPL, .name = NAME, .setup = crt_setup, .call = CALL, .teardown = crt_teardown, .finish = crt_finish, .params = "crt=yes"}
#define BIGNUM_ROWS                                                                                                    \
    NUMBERS_ROW("modexp/private", "crt=no," MODULI, "default", "mp_exptmod", one_setup, exptmod_call),                 \
    NUMBERS_ROW("modexp/private", "crt=no," MODULI, "mp_exptmod_nct", "mp_exptmod_nct", one_setup, exptmod_nct_call),  \
    NUMBERS_ROW("modexp/public", MODULI, "default", "mp_exptmod", one_setup, exptmod_call),                            \
    NUMBERS_ROW("modexp/public", MODULI, "mp_exptmod_nct", "mp_exptmod_nct", one_setup, exptmod_nct_call),             \
    CRT_ROW("default", "mp_exptmod, twice", crt_call),                                                                 \
    CRT_ROW("mp_exptmod_nct", "mp_exptmod_nct, twice", crt_nct_call),                                                  \
    {.id = "modexp/private", .impl = "wc_RsaFunction", .name = "wc_RsaFunction", .setup = rsa_private_setup, .call = rsa_private_call, .teardown = rsa_teardown, .params = "crt=yes," RSA_MODULI, .seed = seed_random, .counts_random = 1}, \
    {.id = "modexp/public", .impl = "wc_RsaFunction", .name = "wc_RsaFunction", .setup = rsa_public_setup, .call = rsa_public_call, .teardown = rsa_teardown, .params = RSA_MODULI, .seed = seed_random, .counts_random = 1}, \
    NUMBERS_ROW("bignum/montmul", NULL, "default", "mp_mul, mp_montgomery_reduce", montgomery_setup, montgomery_call), \
    NUMBERS_ROW("bignum/mod-add", NULL, "default", "mp_addmod", two_setup, addmod_call),                               \
    NUMBERS_ROW("bignum/mod-add", NULL, "mp_addmod_ct", "mp_addmod_ct", two_setup, addmod_ct_call),                    \
    NUMBERS_ROW("bignum/mod-add", NULL, "add_sub", "mp_add, mp_cmp, mp_sub", two_setup, add_sub_call),                 \
    NUMBERS_ROW("bignum/mod-mul", NULL, "default", "mp_mulmod", two_setup, mulmod_call),                               \
    NUMBERS_ROW("bignum/mod-sqr", NULL, "default", "mp_sqrmod", one_setup, sqrmod_call),                               \
    NUMBERS_ROW("bignum/mod-inv", NULL, "default", "mp_invmod", one_setup, invmod_call),                               \
    {.id = "bignum/div-mod", .impl = "default", .name = "mp_div", .setup = one_setup, .call = div_call, .teardown = numbers_teardown, .finish = division_finish}
/* clang-format on */

#endif
