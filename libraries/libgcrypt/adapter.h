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

struct algorithm {
    int algo;
    int mode; /* ciphers only */
};

/* Once a process: seeds the generator, which is inside of the library, by drawing a byte from it. */
const char *ecdsa_seed(void);

/* What gcry_pk_genkey is asked for, and how the pair that it gives is written. */
struct genkey {
    const char *request;
    int (*put)(cs_case *c, gcry_sexp_t pair);
    size_t bits; /* of an RSA modulus, else 0 */
};

int keygen_setup(cs_case *c);
int keygen_call(cs_case *c);
void sexp_teardown(cs_case *c);

/* A new number from `len` bytes, most significant first; NULL if the library refuses. */
gcry_mpi_t bignum_new(const uint8_t *bytes, size_t len);

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
int bignum_take(cs_case *c, gcry_mpi_t number, size_t len);

/* The rows of each file; of what a version has not there are none. */
extern const cs_table libgcrypt_modes, libgcrypt_pkey, libgcrypt_ecdh, libgcrypt_multiples, libgcrypt_curve448;
extern const cs_table libgcrypt_keys, libgcrypt_rsa, libgcrypt_dsa, libgcrypt_kem, libgcrypt_pq, libgcrypt_kdf;
extern const cs_table libgcrypt_random, libgcrypt_bignum, libgcrypt_bignum_crt;

#endif
