/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share: the operations of one modulus are in adapter.c, with its primes in
 * adapter_crt.c.
 */
#ifndef CIPHERSTONE_LIBTOMMATH_ADAPTER_H
#define CIPHERSTONE_LIBTOMMATH_ADAPTER_H

#include <tommath.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* CS_OK for MP_OKAY; else stores the library's words for the error. Inline, because it ends every timed call. */
static inline int from_mp(mp_err error)
{
    return error == MP_OKAY ? CS_OK : cs_fail(mp_error_to_string(error));
}

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
int take(cs_case *c, mp_int *number, size_t len);

/* The rows of adapter_crt.c. */
extern const cs_table libtommath_crt;

#endif
