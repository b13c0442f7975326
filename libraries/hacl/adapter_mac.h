/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: the rows of HMAC with SHA-1, SHA-384 and SHA-512, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_HACL_MAC_H
#define CIPHERSTONE_HACL_MAC_H

#include "adapter.h"

/* EverCrypt's number of a hash, its digest in bytes, and the function that is for it alone. */
struct hmac {
    uint8_t algorithm;
    size_t digest;
    void (*compute)(uint8_t *tag, uint8_t *key, uint32_t key_len, uint8_t *data, uint32_t data_len);
};
extern const struct hmac hmac_sha1, hmac_sha384, hmac_sha512;

int setup_hmac_of(cs_case *c);
int call_hmac_of(cs_case *c);
int call_hmac_of_plain(cs_case *c);

/* clang-format off */
#define HMAC(ID, HASH, FUNCTION) \
    {.id = ID "/mac", .impl = "default", .name = "EverCrypt_HMAC_compute", .setup = setup_hmac_of, .call = call_hmac_of, .rekey = cs_key_in_call, .param = &(HASH)}, \
    {.id = ID "/mac", .impl = "HMAC", .name = FUNCTION, .setup = setup_hmac_of, .call = call_hmac_of_plain, .rekey = cs_key_in_call, .param = &(HASH)}
#define HMAC_ROWS \
    HMAC("hmac-sha-1", hmac_sha1, "Hacl_HMAC_legacy_compute_sha1"), \
    HMAC("hmac-sha-384", hmac_sha384, "Hacl_HMAC_compute_sha2_384"), \
    HMAC("hmac-sha-512", hmac_sha512, "Hacl_HMAC_compute_sha2_512")
/* clang-format on */

#endif
