/* SPDX-License-Identifier: Apache-2.0
 *
 * BIGNUM of OpenSSL and its forks: operations and rows of the bignum family. Which rows a library has, and what it
 * takes by default, is in its adapter.
 */
#ifndef CIPHERSTONE_BN_H
#define CIPHERSTONE_BN_H

#include <stdbool.h>
#include <stdint.h>

#include <openssl/bn.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* BoringSSL and its fork took functions away and renamed others. */
#if defined OPENSSL_IS_BORINGSSL || defined OPENSSL_IS_AWSLC
#define BIGNUM_FORK
#else
#define BIGNUM_RECIPROCAL
#endif
#ifndef OPENSSL_IS_BORINGSSL
#define BIGNUM_X2
#endif

/* Each adapter has it: says what failed and what the error queue holds. Returns CS_ERROR. */
int session_fail(const char *what);

/* What a row keeps between calls beside its numbers: the row's `param`. */
struct bignum_kept {
    bool mont;  /* Montgomery's constants of the modulus */
    bool recp;  /* the modulus' reciprocal */
    bool first; /* the first factor in Montgomery form */
};
extern const struct bignum_kept bignum_nothing, bignum_mont, bignum_first;

/* Numbers are parsed, and constants of the modulus made, in setup; `finish` encodes what the last call left. */
struct bignum {
    BN_CTX *ctx;
    BIGNUM *a, *b; /* msg: the base, the dividend, or two factors */
    BN_ULONG word; /* the base, where it is one */
    BIGNUM *e;     /* key: the exponent */
    BIGNUM *m;     /* pub */
    BIGNUM *r;     /* the result */
    BIGNUM *q;     /* of a division: the quotient */
    BN_MONT_CTX *mont;
#ifdef BIGNUM_RECIPROCAL
    BN_RECP_CTX *recp;
#endif
};

int bignum_setup(cs_case *c);
void bignum_teardown(cs_case *c);
int bignum_finish(cs_case *c);
int bignum_finish_even_root(cs_case *c);
int bignum_finish_division(cs_case *c);

int bignum_exp(cs_case *c);
int bignum_exp_mont(cs_case *c);
int bignum_exp_consttime(cs_case *c);
int bignum_word_setup(cs_case *c);
int bignum_exp_word(cs_case *c);
int bignum_montmul(cs_case *c);
int bignum_add(cs_case *c);
int bignum_add_quick(cs_case *c);
int bignum_add_sub(cs_case *c);
int bignum_mul(cs_case *c);
int bignum_sqr(cs_case *c);
int bignum_inv(cs_case *c);
int bignum_sqrt(cs_case *c);
int bignum_div(cs_case *c);

int bignum_crt_setup(cs_case *c);
void bignum_crt_teardown(cs_case *c);
int bignum_crt(cs_case *c);
int bignum_crt_consttime(cs_case *c);
int bignum_crt_finish(cs_case *c);

#ifdef BIGNUM_X2
int bignum_crt_x2(cs_case *c);
#endif
#ifdef BIGNUM_RECIPROCAL
extern const struct bignum_kept bignum_recp;
int bignum_exp_recp(cs_case *c);
int bignum_exp_simple(cs_case *c);
int bignum_mul_recp(cs_case *c);
int bignum_sqr_recp(cs_case *c);
int bignum_div_recp(cs_case *c);
#endif

/* Montgomery's constants, by the library's constant-time function if the modulus is `secret` and it has one; NULL if
 * there is no memory or the modulus is even. */
BN_MONT_CTX *bignum_constants(const BIGNUM *modulus, bool secret, BN_CTX *ctx);

/* Writes `number` as `len` bytes, big-endian; false if it is longer. */
bool bignum_encode(const BIGNUM *number, uint8_t *out, size_t len);

#define BIGNUM(ID, PARAMS, IMPL, NAME, CALL, FINISH, KEPT)                                                             \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bignum_setup,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = bignum_teardown,                                                                                      \
     .param = &bignum_##KEPT,                                                                                          \
     .finish = bignum_##FINISH,                                                                                        \
     .params = PARAMS}
#define BIGNUM_WORD_ROW(VERB)                                                                                          \
    {.id = "modexp-word/" VERB,                                                                                        \
     .impl = "default",                                                                                                \
     .name = "BN_mod_exp_mont_word",                                                                                   \
     .setup = bignum_word_setup,                                                                                       \
     .call = bignum_exp_word,                                                                                          \
     .teardown = bignum_teardown,                                                                                      \
     .param = &bignum_mont,                                                                                            \
     .finish = bignum_finish}
#define BIGNUM_WORDS BIGNUM_WORD_ROW("private"), BIGNUM_WORD_ROW("public")
#define BIGNUM_CRT_ROW(IMPL, NAME, CALL)                                                                               \
    {.id = "modexp/private",                                                                                           \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bignum_crt_setup,                                                                                        \
     .call = CALL,                                                                                                     \
     .teardown = bignum_crt_teardown,                                                                                  \
     .finish = bignum_crt_finish,                                                                                      \
     .params = "crt=yes"}

#endif
