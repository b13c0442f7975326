/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: what its families share with the table of operations in adapter.c.
 *
 * A lane names one implementation. Where BearSSL always has it, the lane points at it; where it depends on the CPU or
 * the build, the lane holds the library's own `get` function, and `missing` says what its NULL means. The lane
 * `default` holds a function that chooses as BearSSL's TLS engine does (NOTES.md).
 */
#ifndef CIPHERSTONE_BEARSSL_ADAPTER_H
#define CIPHERSTONE_BEARSSL_ADAPTER_H

#include "cipherstone.h"
#include "cipherstone_encoding.h"

#include <bearssl.h>

/* True if the library was compiled with the option `name` of br_get_config(), such as "BR_64". */
int bear_configured(const char *name);

/* hash and HMAC: adapter_hash.c; `param` is a br_hash_class. */
int bear_hash_setup(cs_case *c);
int bear_hash(cs_case *c);
int bear_hmac_setup(cs_case *c);
int bear_hmac_rekey(cs_case *c);
int bear_hmac(cs_case *c);

/* block ciphers: adapter_block.c */
struct bear_block_lane {
    const br_block_cbcenc_class *cbcenc;
    const br_block_cbcdec_class *cbcdec;
    const br_block_ctr_class *ctr; /* NULL for DES */
    const br_block_cbcenc_class *(*get_cbcenc)(void);
    const br_block_cbcdec_class *(*get_cbcdec)(void);
    const br_block_ctr_class *(*get_ctr)(void);
    const char *missing;
};
struct bear_block_param {
    const struct bear_block_lane *lane;
};
extern const struct bear_block_lane bear_aes_default, bear_aes_big, bear_aes_small, bear_aes_ct, bear_aes_ct64,
    bear_aes_x86ni, bear_aes_pwr8, bear_des_default, bear_des_tab, bear_des_ct;

const br_block_ctr_class *bear_block_ctr(const struct bear_block_lane *lane);

int bear_cbcenc_setup(cs_case *c);
int bear_cbcenc_rekey(cs_case *c);
int bear_cbcenc(cs_case *c);
const char *bear_cbcenc_unavailable(const cs_op *op);
int bear_cbcdec_setup(cs_case *c);
int bear_cbcdec_rekey(cs_case *c);
int bear_cbcdec(cs_case *c);
const char *bear_cbcdec_unavailable(const cs_op *op);
int bear_ctr_setup(cs_case *c);
int bear_ctr_rekey(cs_case *c);
int bear_ctr(cs_case *c);
const char *bear_ctr_unavailable(const cs_op *op);

/* GHASH and GCM: adapter_gcm.c */
struct bear_ghash_lane {
    br_ghash run;
    br_ghash (*get)(void);
    const char *missing;
};
struct bear_gcm_param {
    const struct bear_block_lane *aes;
    const struct bear_ghash_lane *ghash;
};
extern const struct bear_ghash_lane bear_ghash_default, bear_ghash_ctmul, bear_ghash_ctmul32, bear_ghash_ctmul64,
    bear_ghash_pclmul, bear_ghash_pwr8;

int bear_ghash_setup(cs_case *c);
int bear_ghash(cs_case *c);
const char *bear_ghash_unavailable(const cs_op *op);
int bear_gcm_setup(cs_case *c);
int bear_gcm_rekey(cs_case *c);
int bear_gcm_seal(cs_case *c);
int bear_gcm_open(cs_case *c);
const char *bear_gcm_unavailable(const cs_op *op);

/* ChaCha20 and ChaCha20-Poly1305: adapter_chacha.c */
struct bear_chacha_lane {
    br_chacha20_run run;
    br_chacha20_run (*get)(void);
    const char *missing;
};
struct bear_poly_lane {
    br_poly1305_run run;
    br_poly1305_run (*get)(void);
    const char *missing;
};
struct bear_chapol_param {
    const struct bear_poly_lane *poly;
    const struct bear_chacha_lane *chacha;
};
extern const struct bear_chacha_lane bear_chacha20_default, bear_chacha20_ct, bear_chacha20_sse2;
extern const struct bear_poly_lane bear_poly1305_default, bear_poly1305_ctmul, bear_poly1305_ctmul32,
    bear_poly1305_ctmulq, bear_poly1305_i15;

int bear_chacha20_setup(cs_case *c);
int bear_chacha20(cs_case *c);
const char *bear_chacha20_unavailable(const cs_op *op);
int bear_chapol_setup(cs_case *c);
int bear_chapol_seal(cs_case *c);
int bear_chapol_open(cs_case *c);
const char *bear_chapol_unavailable(const cs_op *op);
int bear_framed_setup(cs_case *c);
int bear_framed(cs_case *c);
const char *bear_framed_unavailable(const cs_op *op);

/* X25519 and ECDSA over P-256: adapter_ec.c */
struct bear_ec_lane {
    const br_ec_impl *impl;
    const br_ec_impl *(*get)(void);
    const char *missing;
};
struct bear_ecdsa_lane {
    br_ecdsa_sign sign;
    br_ecdsa_vrfy verify;
    br_ecdsa_sign (*get_sign)(void);
    br_ecdsa_vrfy (*get_verify)(void);
};
struct bear_ecdsa_param {
    const struct bear_ecdsa_lane *ecdsa;
    const struct bear_ec_lane *ec;
    const struct bear_ecdsa_curve *curve; /* P-256 with SHA-256 without it */
};
struct bear_ecdsa_curve {
    int id;
    size_t bytes;
    const br_hash_class *hash;
};
extern const struct bear_ecdsa_curve bear_p256, bear_p384, bear_p521;
struct bear_base_param {
    const struct bear_ec_lane *ec;
    int curve;
    size_t pub_len;
};
extern const struct bear_ec_lane bear_ec_default, bear_c25519_i15, bear_c25519_i31, bear_c25519_m15, bear_c25519_m31,
    bear_c25519_m62, bear_c25519_m64, bear_prime_i15, bear_prime_i31, bear_p256_m15, bear_p256_m31, bear_p256_m62,
    bear_p256_m64, bear_all_m15, bear_all_m31;
extern const struct bear_ecdsa_lane bear_ecdsa_default, bear_ecdsa_i15, bear_ecdsa_i31;

/* The documentation promises a big-endian scalar for every curve. Release 0.6 takes the one of Curve25519 in
 * little-endian order; later versions keep the promise. Computing with the curve would tell which, but what is to be
 * timed would then have run before: the headers tell instead. Were they wrong, no known answer would come out. */
#ifdef BR_FEATURE_X509_TIME_CALLBACK
enum { SCALAR_IS_REVERSED = 1 };
#else
enum { SCALAR_IS_REVERSED = 0 };
#endif

int bear_x25519_setup(cs_case *c);
int bear_x25519(cs_case *c);
const char *bear_x25519_unavailable(const cs_op *op);
int bear_ecdh_setup(cs_case *c);
int bear_ecdh(cs_case *c);
int bear_ecdsa_sign_setup(cs_case *c);
int bear_ecdsa_sign(cs_case *c);
int bear_ecdsa_verify_setup(cs_case *c);
int bear_ecdsa_verify(cs_case *c);
const char *bear_ecdsa_unavailable(const cs_op *op);
int bear_base_setup(cs_case *c);
int bear_base(cs_case *c);
const char *bear_base_unavailable(const cs_op *op);

/* RSA's powers: adapter_rsa.c */
struct bear_rsa_lane {
    br_rsa_public public_power;
    br_rsa_private private_power;
    br_rsa_public (*get_public)(void);
    br_rsa_private (*get_private)(void);
    const char *missing;
};
extern const struct bear_rsa_lane bear_rsa_default, bear_rsa_i15, bear_rsa_i31, bear_rsa_i32, bear_rsa_i62;

int bear_rsa_public_setup(cs_case *c);
int bear_rsa_public(cs_case *c);
int bear_rsa_private_setup(cs_case *c);
int bear_rsa_private(cs_case *c);
const char *bear_rsa_unavailable(const cs_op *op);

/* The lanes `two_copies`: what their names say, after one copy more than is needed. */
int bear_cbcenc_copied(cs_case *c);
int bear_cbcdec_copied(cs_case *c);
int bear_ctr_copied(cs_case *c);
int bear_chacha20_copied(cs_case *c);
int bear_gcm_seal_copied(cs_case *c);
int bear_gcm_open_copied(cs_case *c);
int bear_chapol_seal_copied(cs_case *c);
int bear_chapol_open_copied(cs_case *c);

/* Every family's teardown: the state holds no resources beyond its own memory. */
void bear_free(cs_case *c);

#endif
