/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_NETTLE_ADAPTER_H
#define CIPHERSTONE_NETTLE_ADAPTER_H

#include <stddef.h>

#include <nettle/ecc-curve.h>
#include <nettle/nettle-types.h>
#include <nettle/yarrow.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* Makes `state`, one block of `size` bytes, all zero, and returns it; NULL if there is no memory. */

/* The teardown of most operations: most contexts are one block of memory. Families that own more have their own. */

/* Nettle's own generator, one for the process. */
extern struct yarrow256_ctx random_state;

/* Once a process: seeds it from the system. */
const char *seed_random(void);

/* The generator as the library's functions take one, with `random_state`; it counts in a process that does. */
extern nettle_random_func *draw_random;

/* A row's `param`; P-256 with SHA-256 without it. `bytes`: of a number; `digest_bytes`: of the hash that goes with it.
 */
struct nettle_curve {
    const struct ecc_curve *(*get)(void);
    size_t bytes;
    size_t digest_bytes;
};
extern const struct nettle_curve p256, p384, p521;
const struct nettle_curve *curve_of(const cs_case *c);

int x25519_setup(cs_case *c);

extern const cs_table nettle_mac, nettle_modes, nettle_camellia, nettle_pkey, nettle_keys, nettle_curve448,
    nettle_random, nettle_rsa, nettle_dsa, nettle_root, nettle_kdf;

#endif
