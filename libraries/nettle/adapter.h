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
void *new_state(cs_case *c, size_t size);

/* The teardown of most operations: most contexts are one block of memory. Families that own more have their own. */
void free_state(cs_case *c);

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
int x25519_call(cs_case *c);

int ed25519_sign_setup(cs_case *c);
int ed25519_sign_call(cs_case *c);
int ed25519_verify_call(cs_case *c);

int ecdsa_sign_setup(cs_case *c);
int ecdsa_sign_call(cs_case *c);
int ecdsa_verify_setup(cs_case *c);
int ecdsa_verify_call(cs_case *c);
void ecdsa_teardown(cs_case *c);

int root_setup(cs_case *c);
int root_call(cs_case *c);
int blinded_root_setup(cs_case *c);
int blinded_root_call(cs_case *c);
int root_finish(cs_case *c);
void root_teardown(cs_case *c);

#endif
