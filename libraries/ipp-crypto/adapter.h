/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of this adapter share. The library allocates nothing: it reports how large a context is,
 * and the caller brings the memory.
 */
#ifndef CIPHERSTONE_IPP_CRYPTO_ADAPTER_H
#define CIPHERSTONE_IPP_CRYPTO_ADAPTER_H

/* MD5, SHA-1 and 3DES are marked as deprecated. */
#define _NO_IPP_DEPRECATED
#include <ippcp.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* The contexts of a case. First member of every state. */
enum { MOST_CONTEXTS = 20 };
struct contexts {
    size_t used;
    void *context[MOST_CONTEXTS];
};

/* Memory for a context that is freed with the case; NULL if there is none. */
void *new_context(struct contexts *all, int size);

/* Sets the state's memory aside, zeroed; NULL, as `state`, if there is none. */

/* Frees the state with its contexts. */
void teardown(cs_case *c);

/* For a setup that fails after it made its state. Returns `status`. */
int give_up(cs_case *c, int status);

/* cs_fail with the library's words for `status`. */
int failed(const char *entry_point, IppStatus status);

/* Negative is an error, positive a warning. Inline, because it ends every timed call. */
static inline int from_ipp(const char *entry_point, IppStatus status)
{
    return status >= ippStsNoErr ? CS_OK : failed(entry_point, status);
}

/* A number with room for `bytes` bytes, zero; NULL if there is no memory. */
IppsBigNumState *new_number(struct contexts *all, size_t bytes);

/* Sets `number` to the value of `bytes`; no bytes are zero. */
int set_number(IppsBigNumState *number, cs_span bytes);

/* Both; NULL after it has reported a failure. */
IppsBigNumState *number_of(struct contexts *all, cs_span bytes);

/* Appends `number` as `len` bytes to the output, and sets it to zero, so that a call that does nothing is noticed. */
int take(cs_case *c, IppsBigNumState *number, size_t len);

/* Where random bits come from: the library's RDRAND, or its own generator, seeded by the system, where it does not use
 * that. `seed` is a row's. */
extern IppBitSupplier random_bits;
extern void *random_context;
const char *seed(void);

/* RSA keys in memory of the case; NULL after it has reported a failure. The private key has the second form, with the
 * numbers of CRT. */
IppsRSAPublicKeyState *public_key_of(struct contexts *all, const IppsBigNumState *n, const IppsBigNumState *e);
IppsRSAPrivateKeyState *crt_key_of(struct contexts *all, const cs_span part[CS_CRT_PARTS]);

extern const cs_table ipp_ciphers, ipp_modes, ipp_curves, ipp_ffdh, ipp_dsa, ipp_rsa, ipp_rsa_keygen, ipp_power,
    ipp_bignum, ipp_random;

#endif
