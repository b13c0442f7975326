/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_ADAPTER_H
#define CIPHERSTONE_LIBGCRYPT_ADAPTER_H

#include <gcrypt.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* Stores the entry point and the library's words for the error. Returns CS_ERROR. */
int fail(const char *entry_point, gcry_error_t error);

int x25519_setup(cs_case *c);
int x25519_call(cs_case *c);
int x25519_base_call(cs_case *c);

int ed25519_sign_setup(cs_case *c);
int ed25519_sign_call(cs_case *c);
int ed25519_verify_setup(cs_case *c);
int ed25519_verify_call(cs_case *c);

/* How the hash is wrapped, which says where ECDSA takes its secret number from: the library's generator, which is the
 * default, or the key and the hash as in RFC 6979. */
/* The S-expressions of ECDSA on a curve: what is filled with the public value, and then the private one, or the digest.
 */
struct ecdsa {
    const char *private_form;
    const char *public_form;
    const char *data_form;
    size_t bytes; /* of r and of s */
    int digest;   /* the library's number of the hash, and its length */
    int digest_len;
};
extern const struct ecdsa ecdsa_p256, ecdsa_p256_rfc6979, ecdsa_secp256k1, ecdsa_secp256k1_rfc6979;
extern const struct ecdsa ecdsa_brainpool, ecdsa_brainpool_rfc6979;
extern const struct ecdsa ecdsa_p384, ecdsa_p384_rfc6979, ecdsa_p521, ecdsa_p521_rfc6979;

/* The row's `param` is one of the two above. */
int ecdsa_sign_setup(cs_case *c);
int ecdsa_sign_call(cs_case *c);
int ecdsa_verify_setup(cs_case *c);
int ecdsa_verify_call(cs_case *c);

/* Once a process: seeds the generator, which is inside of the library, by drawing a byte from it. */
const char *ecdsa_seed(void);

/* For Ed25519 and ECDSA. */
void sig_teardown(cs_case *c);

#endif
