/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs of Libgcrypt share: the library begun without memory that stays out of swap, and a judgement about a
 * signature over the SHA-256 of a message.
 */
#ifndef FOOTPRINT_LIBGCRYPT_OWN_H
#define FOOTPRINT_LIBGCRYPT_OWN_H

#include "../program.h"

#include <gcrypt.h>

enum { DIGEST_BYTES = 32 };

static inline int begun(void)
{
    return gcry_check_version(NULL) != NULL && gcry_control(GCRYCTL_DISABLE_SECMEM, 0) == 0 &&
           gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0) == 0;
}

/* `form` takes the digest of the message. */
static inline int judged(gcry_sexp_t signature, gcry_sexp_t key, const char *form, span msg)
{
    uint8_t digest[DIGEST_BYTES];
    gcry_sexp_t data;

    gcry_md_hash_buffer(GCRY_MD_SHA256, digest, msg.data, msg.len);
    if (gcry_sexp_build(&data, NULL, form, DIGEST_BYTES, digest) != 0)
        return BROKEN;
    return gcry_pk_verify(signature, data, key) == 0 ? YES : NO;
}

#endif
