/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL: what AWS-LC has not, or has otherwise. The rest of the adapter is in ../_boringssl.
 */
#ifndef CIPHERSTONE_BORINGSSL_OWN_H
#define CIPHERSTONE_BORINGSSL_OWN_H

#include <openssl/nid.h>

#include "adapter.h"
#include "adapter_modes.h"
#include "adapter_pq.h"

#ifndef OPENSSL_IS_BORINGSSL
#error "these are not the headers of BoringSSL"
#endif

/* The library has no releases: what it counts is changes of its interface, and only the header says the number. */
#define OWN_ID "boringssl"
#define OWN_VERSION_FROM "header"
const char *own_version(void);

int ecdsa_sign_p1363_call(cs_case *c);
int ecdsa_verify_p1363_call(cs_case *c);
int encaps_768_setup(cs_case *c);
int encaps_768_call(cs_case *c);
int encaps_1024_setup(cs_case *c);
int encaps_1024_call(cs_case *c);
void encaps_teardown(cs_case *c);

#define P1363_ROW(ALGORITHM, HASH, VERB, ...)                                                                          \
    {.id = ALGORITHM "/" #VERB,                                                                                        \
     .impl = "p1363",                                                                                                  \
     .name = HASH ", ECDSA_" #VERB "_p1363",                                                                           \
     .setup = ecdsa_##VERB##_setup,                                                                                    \
     .call = ecdsa_##VERB##_p1363_call,                                                                                \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     .form = "p1363",                                                                                                  \
     __VA_ARGS__}
#define ENCAPS_ROW(BITS)                                                                                               \
    {.id = "ml-kem-" #BITS "/encaps",                                                                                  \
     .impl = "default",                                                                                                \
     .name = "MLKEM" #BITS "_encap",                                                                                   \
     .setup = encaps_##BITS##_setup,                                                                                   \
     .call = encaps_##BITS##_call,                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = encaps_teardown,                                                                                      \
     .seed = random_seed}

#define EAX_ROWS MODE_AEAD_ROWS("aes-128-eax", aes_128_eax), MODE_AEAD_ROWS("aes-256-eax", aes_256_eax)

#define P1363_ROWS(ALGORITHM, HASH, NID)                                                                               \
    P1363_ROW(ALGORITHM, HASH, sign, .param = &(const int){NID}, .seed = random_seed),                                 \
        P1363_ROW(ALGORITHM, HASH, verify, .param = &(const int){NID})

#define OWN_ROWS                                                                                                       \
    P1363_ROWS("ecdsa-p256-sha256", "SHA256", NID_X9_62_prime256v1),                                                   \
        P1363_ROWS("ecdsa-p384-sha384", "SHA384", NID_secp384r1),                                                      \
        P1363_ROWS("ecdsa-p521-sha512", "SHA512", NID_secp521r1), ENCAPS_ROW(768), ENCAPS_ROW(1024), EAX_ROWS,         \
        ML_DSA_ROWS, SLH_DSA_ROWS

#endif
