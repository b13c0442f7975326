/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_HACL_ADAPTER_H
#define CIPHERSTONE_HACL_ADAPTER_H

#include "cipherstone.h"
#include "cipherstone_encoding.h"

#include <config.h>

/* The library takes what it reads through pointers to bytes that may change, and changes none. */
static inline uint8_t *bytes_of(cs_span input)
{
    return (uint8_t *)(uintptr_t)input.data;
}

/* Why a row's implementation cannot run here, NULL if it can. */
const char *no_vec128(const cs_op *op);
const char *no_vec256(const cs_op *op);
const char *no_adx(const cs_op *op);
const char *no_aes_gcm(const cs_op *op);

/* The library's generator, which the system seeds. `seed` is a row's; `draw` gives 0 if it has no bytes. */
const char *seed(void);
int draw(uint8_t *out, uint32_t len);

/* One function of ChaCha20, and of ChaCha20-Poly1305 in both directions. */
struct stream {
    void (*encrypt)(uint32_t len, uint8_t *out, uint8_t *text, uint8_t *key, uint8_t *nonce, uint32_t counter);
};
struct sealing {
    void (*seal)(uint8_t *key, uint8_t *nonce, uint32_t aad_len, uint8_t *aad, uint32_t len, uint8_t *message,
                 uint8_t *cipher, uint8_t *tag);
    uint32_t (*open)(uint8_t *key, uint8_t *nonce, uint32_t aad_len, uint8_t *aad, uint32_t len, uint8_t *message,
                     uint8_t *cipher, uint8_t *tag);
};
extern const struct stream chacha20, chacha20_32, chacha20_128, chacha20_256;
extern const struct sealing sealing_32, sealing_128, sealing_256;
extern const uint8_t aes_128_gcm, aes_256_gcm, chacha20_poly1305;

int setup_stream(cs_case *c);
int call_stream(cs_case *c);
int setup_seal(cs_case *c);
int setup_open(cs_case *c);
void teardown_aead(cs_case *c);
int call_seal(cs_case *c);
int call_open(cs_case *c);
int setup_direct_seal(cs_case *c);
int setup_direct_open(cs_case *c);
int call_direct_seal(cs_case *c);
int call_direct_open(cs_case *c);

/* Both X25519 functions of an implementation. */
struct ladder {
    void (*public_key)(uint8_t *public_key, uint8_t *key);
    _Bool (*derive)(uint8_t *out, uint8_t *key, uint8_t *point);
};
extern const struct ladder ladder, ladder_51, ladder_64;

void teardown_state(cs_case *c);
int setup_x25519(cs_case *c);
int call_x25519(cs_case *c);
int call_x25519_base(cs_case *c);
int setup_p256_base(cs_case *c);
int call_p256_base(cs_case *c);
int setup_x25519_keygen(cs_case *c);
int call_x25519_keygen(cs_case *c);
int setup_ed25519_sign(cs_case *c);
int rekey_ed25519_sign(cs_case *c);
int call_ed25519_sign(cs_case *c);
int setup_ed25519_anew(cs_case *c);
int call_ed25519_anew(cs_case *c);
int call_ed25519_verify(cs_case *c);
int setup_ed25519_keygen(cs_case *c);
int call_ed25519_keygen(cs_case *c);
int setup_ecdsa_sign(cs_case *c);
int call_ecdsa_sign(cs_case *c);
int setup_ecdsa_verify(cs_case *c);
int call_ecdsa_verify(cs_case *c);
int setup_p256_derive(cs_case *c);
int call_p256_derive(cs_case *c);
int setup_p256_keygen(cs_case *c);
int call_p256_keygen(cs_case *c);
int setup_x25519_agree(cs_case *c);
int call_x25519_agree(cs_case *c);
int setup_p256_agree(cs_case *c);
int call_p256_agree(cs_case *c);

int setup_power(cs_case *c);
int call_power_vartime(cs_case *c);
int call_power_consttime(cs_case *c);
int call_power_anew(cs_case *c);
int setup_power_4096(cs_case *c);
int call_power_vartime_4096(cs_case *c);
int call_power_consttime_4096(cs_case *c);
void teardown_power_4096(cs_case *c);
int setup_crt(cs_case *c);
int call_crt_vartime(cs_case *c);
int call_crt_consttime(cs_case *c);
int finish_crt(cs_case *c);
void teardown_crt(cs_case *c);
int setup_one(cs_case *c);
int setup_two(cs_case *c);
int setup_montgomery(cs_case *c);
int call_montgomery(cs_case *c);
int call_add(cs_case *c);
int call_mul(cs_case *c);
int call_sqr(cs_case *c);
int finish_number(cs_case *c);
void teardown_numbers(cs_case *c);

#endif
