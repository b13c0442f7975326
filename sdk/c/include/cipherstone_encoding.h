/* SPDX-License-Identifier: Apache-2.0
 *
 * cipherstone: encodings that several adapters need. Inputs and outputs of the catalogue are bytes; where a library
 * wants them cut up, joined or wrapped, the way to do so stands here once.
 *
 * Functions that can refuse return CS_OK, or CS_ERROR after cs_fail with one line. None allocates.
 */
#ifndef CIPHERSTONE_ENCODING_H
#define CIPHERSTONE_ENCODING_H

#include "cipherstone.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CS_OK if `input` has exactly `len` bytes; else the failure names it: "key is 31 bytes long, not 32". */
int cs_expect_length(const char *name, cs_span input, size_t len);

/* Copies `msg` to the beginning of `out`, as an adapter does for a library that works in place; nothing is copied where
 * they are the same (place=same). */
void cs_copy_message(cs_case *c);

/* Copies `msg` to the beginning of `out`, as an adapter does for a library that works in place. A lane that makes this
 * copy once more than it needs shows, beside the lane that does not, what the copy costs. */
void cs_copy_again(cs_case *c);

/* ---- numbers: unsigned, most significant byte first ---- */

/* The parts of a private key in the order of RFC 8017 section 3.2, second form: n = p q, dP = d mod p - 1,
 * dQ = d mod q - 1, qInv = 1/q mod p. */
enum { CS_CRT_P, CS_CRT_Q, CS_CRT_DP, CS_CRT_DQ, CS_CRT_QINV, CS_CRT_PARTS };

/* Cuts `key` into its five numbers of one length. */
int cs_crt_split(cs_span key, cs_span part[CS_CRT_PARTS]);

/* Cuts `msg` into the two operands of an operation modulo `pub`, each as long as `pub`. */
int cs_split_operands(const cs_case *c, cs_span *a, cs_span *b);

/* Writes a number of any length as exactly `len` bytes at `out`: leading zeros are left out or filled up. */
int cs_put_number(uint8_t *out, size_t len, cs_span number);

/* Room for the `bytes` significant bytes of a result after what is at `out`; they end a field of `len` bytes whose
 * other bytes are set to zero, and `out_len` grows by `len`. NULL, after cs_fail, if `bytes` is more than `len`. */
uint8_t *cs_number_room(cs_case *c, size_t bytes, size_t len);

/* A pair of RSA-2048 keys as key generation writes it: the parts of the private key in their order, CS_RSA_PART bytes
 * each; then the modulus and the public exponent. */
enum { CS_RSA_PART = 128, CS_RSA_MODULUS = 256, CS_RSA_EXPONENT = 4, CS_RSA_PAIR = 900 };

/* The same for a modulus of `bits`: bytes of a part, of the modulus, and of the pair. */
#define CS_RSA_PART_OF(bits) ((size_t)(bits) / 16)
#define CS_RSA_MODULUS_OF(bits) ((size_t)(bits) / 8)
#define CS_RSA_PAIR_OF(bits) (CS_CRT_PARTS * CS_RSA_PART_OF(bits) + CS_RSA_MODULUS_OF(bits) + CS_RSA_EXPONENT)
enum { CS_RSA_MODULUS_MAX = 512 }; /* of all operations but those of the bignum family */

/* The numbers of a key to sign, verify, encrypt or decrypt with. Of a public key n and e; `d` and `part` are empty. */
typedef struct cs_rsa_key {
    cs_span n, e, d, part[CS_CRT_PARTS];
} cs_rsa_key;

/* Cuts `key` of the case, if it has one, else `pub` into its numbers: n, e, d and the parts; or n and e. `e` is without
 * leading zeros. */
int cs_rsa_numbers(const cs_case *c, cs_rsa_key *to);

/* ---- randomness that the caller supplies ---- */

/* Hands out the bytes of a seed one after another. `left` is what was not drawn. */
typedef struct cs_stream {
    cs_span left;
} cs_stream;

/* The next `len` bytes at `out`. CS_OK, or CS_ERROR after cs_fail if the seed has not so many: then nothing is written.
 */
int cs_draw(cs_stream *stream, void *out, size_t len);

/* ---- points of P-256, and of secp256k1, whose numbers are as long ---- */

enum { CS_P256_BYTES = 32, CS_P256_POINT = 65, CS_P256_SPKI = 91, CS_SECP256K1_SPKI = 88 };

/* CS_OK if `pub` is as long as an uncompressed point (SEC 1 section 2.3.3: 4, x, y) and begins like one. */
int cs_p256_point(cs_span pub);

/* The same, wrapped into a SubjectPublicKeyInfo (RFC 5480, id-ecPublicKey, secp256r1) at `out`. */
int cs_p256_spki(cs_span pub, uint8_t out[CS_P256_SPKI]);

/* The same for secp256k1 (SEC 2 section 2.4.1). */
int cs_secp256k1_spki(cs_span pub, uint8_t out[CS_SECP256K1_SPKI]);

/* The same for brainpoolP256r1 (RFC 5639 section 3.4), whose numbers are as long. */
enum { CS_BRAINPOOL_P256_SPKI = 92 };
int cs_brainpool_p256_spki(cs_span pub, uint8_t out[CS_BRAINPOOL_P256_SPKI]);

/* ---- points of P-384 and P-521 ---- */

enum { CS_P384_BYTES = 48, CS_P384_POINT = 97, CS_P384_SPKI = 120 };
enum { CS_P521_BYTES = 66, CS_P521_POINT = 133, CS_P521_SPKI = 158 };

/* CS_OK if `pub` is an uncompressed point (SEC 1 section 2.3.3: 4, x, y) whose numbers have `bytes` bytes each. */
int cs_point(cs_span pub, size_t bytes);

/* A point wrapped into a SubjectPublicKeyInfo (RFC 5480, id-ecPublicKey, secp384r1 or secp521r1) at `out`. */
int cs_p384_spki(cs_span pub, uint8_t out[CS_P384_SPKI]);
int cs_p521_spki(cs_span pub, uint8_t out[CS_P521_SPKI]);

#ifdef __cplusplus
}
#endif
#endif
