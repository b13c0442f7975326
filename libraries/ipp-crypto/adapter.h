/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share. The library allocates nothing: it tells how large a context is, and the caller
 * brings the memory.
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
void *new_state(cs_case *c, size_t size);

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

/* Takes the number that `bytes` are; none are zero. */
int set_number(IppsBigNumState *number, cs_span bytes);

/* Both; NULL after the failure was told. */
IppsBigNumState *number_of(struct contexts *all, cs_span bytes);

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
int take(cs_case *c, IppsBigNumState *number, size_t len);

/* Where random bits come from: the library's RDRAND, or its own generator, seeded by the system, where it does not use
 * that. `seed` is a row's. */
extern IppBitSupplier random_bits;
extern void *random_context;
const char *seed(void);

int setup_cbc(cs_case *c);
int rekey_aes(cs_case *c);
int call_cbc_encrypt(cs_case *c);
int call_cbc_decrypt(cs_case *c);
int setup_ctr(cs_case *c);
int call_ctr(cs_case *c);
int setup_3des(cs_case *c);
int rekey_3des(cs_case *c);
int call_3des_encrypt(cs_case *c);
int call_3des_decrypt(cs_case *c);
int setup_seal(cs_case *c);
int setup_open(cs_case *c);
int rekey_gcm(cs_case *c);
int call_seal(cs_case *c);
int call_open(cs_case *c);

/* The `param` of a row on a curve. */
struct standard;
extern const struct standard p256, p384, p521, brainpool256, koblitz256;
int setup_generator(cs_case *c);
int call_generator(cs_case *c);
int setup_ecdh(cs_case *c);
int call_ecdh(cs_case *c);
int setup_agree(cs_case *c);
int call_agree(cs_case *c);
int setup_sign(cs_case *c);
int rekey_sign(cs_case *c);
int call_sign(cs_case *c);
int setup_verify(cs_case *c);
int rekey_verify(cs_case *c);
int call_verify(cs_case *c);
int setup_ec_keygen(cs_case *c);
int call_ec_keygen(cs_case *c);
int setup_rsa_keygen(cs_case *c);
int call_rsa_keygen(cs_case *c);

/* Keys of RSA in memory of the case; NULL after the failure was told. The private one is of the second form, with the
 * numbers of CRT. */
IppsRSAPublicKeyState *public_key_of(struct contexts *all, const IppsBigNumState *n, const IppsBigNumState *e);
IppsRSAPrivateKeyState *crt_key_of(struct contexts *all, const cs_span part[CS_CRT_PARTS]);

int setup_power(cs_case *c);
int call_power(cs_case *c);
int setup_public(cs_case *c);
int call_public(cs_case *c);
int setup_private(cs_case *c);
int setup_crt(cs_case *c);
int call_private(cs_case *c);
int finish_power(cs_case *c);

int setup_one(cs_case *c);
int setup_two(cs_case *c);
int setup_product(cs_case *c);
int setup_montgomery(cs_case *c);
int setup_division(cs_case *c);
int call_add(cs_case *c);
int call_montgomery(cs_case *c);
int call_mod_mul(cs_case *c);
int call_mul_mod(cs_case *c);
int call_mod_sqr(cs_case *c);
int call_sqr_mod(cs_case *c);
int call_inverse(cs_case *c);
int call_division(cs_case *c);
int finish_number(cs_case *c);
int finish_division(cs_case *c);

#endif
