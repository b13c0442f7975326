/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_LIBTOMCRYPT_ADAPTER_H
#define CIPHERSTONE_LIBTOMCRYPT_ADAPTER_H

#include <tomcrypt.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* Makes `state`, one block of `size` bytes, all zero, and returns it; NULL if there is no memory. */

/* The teardown of operations whose state owns nothing. */

/* CS_OK for CRYPT_OK; else stores the library's words for the error. Inline, because it ends timed calls. */
static inline int from_ltc(int error)
{
    return error == CRYPT_OK ? CS_OK : cs_fail(error_to_string(error));
}

/* Places in the library's tables, which `open` fills. */
extern int aes_cipher, camellia_cipher, des3_cipher, sha256_hash;

/* Yarrow, one for the process, and its place in the table of generators. */
extern prng_state random_state;
extern int random_prng;

/* Once a process: seeds it from the system. */
const char *seed_random(void);

/* The teardown of operations whose state is an RSA key. */
void rsa_teardown(cs_case *c);

extern const cs_table libtomcrypt_ciphers, libtomcrypt_modes, libtomcrypt_pkey, libtomcrypt_keys, libtomcrypt_rsa;
extern const cs_table libtomcrypt_import, libtomcrypt_padding, libtomcrypt_random, libtomcrypt_ffdh, libtomcrypt_dsa,
    libtomcrypt_kdf;

#endif
