/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: what its files share; each has the rows of what it implements.
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

/* Every family's teardown: the state holds no resources beyond its own memory. */

/* Block ciphers: adapter_block.c. */
struct bear_block_lane {
    const br_block_cbcenc_class *cbcenc;
    const br_block_cbcdec_class *cbcdec;
    const br_block_ctr_class *ctr; /* NULL for DES */
    const br_block_cbcenc_class *(*get_cbcenc)(void);
    const br_block_cbcdec_class *(*get_cbcdec)(void);
    const br_block_ctr_class *(*get_ctr)(void);
    const char *missing;
};
extern const struct bear_block_lane bear_aes_default, bear_aes_big, bear_aes_small, bear_aes_ct, bear_aes_ct64,
    bear_aes_x86ni, bear_aes_pwr8;

const br_block_ctr_class *bear_block_ctr(const struct bear_block_lane *lane);

/* The call of a lane `two_copies`: CALL, which works in place, after one copy of the message more than is needed.
 * Beside `default`, which does the same with one copy, it tells what a program saves that may overwrite its input. */
#define BEAR_COPIED(CALL)                                                                                              \
    static int CALL##_copied(cs_case *c)                                                                               \
    {                                                                                                                  \
        cs_copy_again(c);                                                                                              \
        return CALL(c);                                                                                                \
    }
/* clang-format off */
#define BEAR_COPIED_ROW(ID, FAMILY, CALL, NAME, SIZE, TYPE, ...)                                                       \
    {.id = ID, .impl = "two_copies", .name = NAME, .setup = bear_##FAMILY##_setup, .call = bear_##CALL##_copied, .cannot = "place: the lane shows a copy", .teardown = cs_teardown_state, .param = &(const struct TYPE##_param){__VA_ARGS__}, .unavailable = bear_##FAMILY##_unavailable, .block = SIZE}
/* clang-format on */

/* The documentation promises a big-endian scalar for every curve. Release 0.6 takes the one of Curve25519 in
 * little-endian order; later versions keep the promise. Computing with the curve would tell which, but what is to be
 * timed would then have run before: the headers tell instead. Were they wrong, no known answer would come out. */
#ifdef BR_FEATURE_X509_TIME_CALLBACK
enum { SCALAR_IS_REVERSED = 1 };
#else
enum { SCALAR_IS_REVERSED = 0 };
#endif

/* Once a process: the generator is seeded by the system. */
const char *bear_seed(void);
/* What rows draw from that have it: the generator, or one that counts. */
const br_prng_class **bear_generator(void);

extern const cs_table bearssl_hashes, bearssl_random, bearssl_block, bearssl_gcm, bearssl_chacha, bearssl_ec;
extern const cs_table bearssl_modes, bearssl_rsa, bearssl_keys, bearssl_padding, bearssl_import, bearssl_x509,
    bearssl_kdf;

#endif
