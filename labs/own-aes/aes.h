/* SPDX-License-Identifier: Apache-2.0
 *
 * AES in CBC mode by the processor's instructions: FIPS 197, NIST SP 800-38A section 6.2. One of aes_x86_64.c,
 * aes_aarch64.c and aes_without.c has these functions.
 */
#ifndef OWN_AES_H
#define OWN_AES_H

#include <stddef.h>
#include <stdint.h>

/* A round takes three or four cycles and a new one can begin in each, or two of them: decryption has eight blocks at
 * once. */
enum { OWN_AES_BLOCK = 16, OWN_AES_MOST_ROUNDS = 14, OWN_AES_AT_ONCE = 8 };

/* Round keys in the order in which they are used, of one direction. */
typedef struct own_aes_key {
    _Alignas(16) uint8_t round[OWN_AES_MOST_ROUNDS + 1][OWN_AES_BLOCK];
    unsigned rounds; /* 10, 12 or 14 */
} own_aes_key;

/* Why this processor or this build cannot run the functions below; NULL if it can. A static string. */
const char *own_aes_missing(void);

/* Of a key of 16, 24 or 32 bytes. */
void own_aes_encryption_key(own_aes_key *key, const uint8_t *bytes, size_t len);
/* The same for decryption: the equivalent inverse cipher of FIPS 197 section 5.3.5. */
void own_aes_decryption_key(own_aes_key *key, const uint8_t *bytes, size_t len);

/* `len` bytes, whole blocks. `out` is apart from `in`, or is `in`. */
void own_aes_cbc_encrypt(const own_aes_key *key, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t len);
void own_aes_cbc_decrypt(const own_aes_key *key, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t len);

#endif
