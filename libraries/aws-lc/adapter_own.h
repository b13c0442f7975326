/* SPDX-License-Identifier: Apache-2.0
 *
 * AWS-LC: what BoringSSL has not, or has otherwise. The rest of the adapter is in ../_boringssl.
 */
#ifndef CIPHERSTONE_AWS_LC_OWN_H
#define CIPHERSTONE_AWS_LC_OWN_H

#include <openssl/nid.h>

#include "adapter.h"
#include "adapter_bignum.h"
#include "adapter_modes.h"
#include "adapter_pq.h"

#ifndef OPENSSL_IS_AWSLC
#error "these are not the headers of AWS-LC"
#endif

#define OWN_ID "aws-lc"
#define OWN_VERSION_FROM "library"
const char *own_version(void);

enum { KEM_SECRET = 32 };

int shake128_setup(cs_case *c);
int shake256_setup(cs_case *c);
int shake_call(cs_case *c);

#define SHAKE_ROW(BITS)                                                                                                \
    {.id = "shake" #BITS "/hash",                                                                                      \
     .impl = "default",                                                                                                \
     .name = "EVP_DigestFinalXOF EVP_shake" #BITS,                                                                     \
     .setup = shake##BITS##_setup,                                                                                     \
     .call = shake_call,                                                                                               \
     .teardown = session_free}

extern const EVP_MD *(*const ripemd160)(void);

#define RIPEMD_ROWS                                                                                                    \
    {.id = "ripemd-160/hash",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "EVP_ripemd160",                                                                                          \
     .setup = hash_setup,                                                                                              \
     .call = hash_call,                                                                                                \
     .teardown = session_free,                                                                                         \
     .param = &ripemd160},                                                                                             \
    {                                                                                                                  \
        .id = "ripemd-160/hash", .impl = "oneshot", .name = "EVP_Digest EVP_ripemd160", .call = hash_oneshot_call,     \
        .param = &ripemd160                                                                                            \
    }

/* `param` is the number that names the parameter set. */
int kem_keygen_setup(cs_case *c);
int kem_keygen_call(cs_case *c);
int kem_encaps_setup(cs_case *c);
int kem_encaps_call(cs_case *c);
int kem_decaps_setup(cs_case *c);
int kem_decaps_call(cs_case *c);

#define KEM_ROW(ALGORITHM, NID, VERB, NAME, ...)                                                                       \
    {.id = ALGORITHM "/" #VERB,                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = kem_##VERB##_setup,                                                                                      \
     .call = kem_##VERB##_call,                                                                                        \
     .teardown = session_free,                                                                                         \
     .param = &(const int){NID},                                                                                       \
     __VA_ARGS__}
#define KEM_ROWS(ALGORITHM, NID)                                                                                       \
    KEM_ROW(ALGORITHM, NID, keygen, "EVP_PKEY_keygen", .seed = random_seed, .seeded = 1),                              \
        KEM_ROW(ALGORITHM, NID, encaps, "EVP_PKEY_encapsulate", .rekey = cs_setup_again, .seed = random_seed,          \
                .seeded = 1),                                                                                          \
        KEM_ROW(ALGORITHM, NID, decaps, "EVP_PKEY_decapsulate", .rekey = cs_setup_again, .seeded = 0)

#define SECP256K1                                                                                                      \
    .param = &(const int)                                                                                              \
    {                                                                                                                  \
        NID_secp256k1                                                                                                  \
    }
#define SECP256K1_ROW(VERB, IMPL, NAME, FUNCTIONS, ...)                                                                \
    PKEY_ROW("ecdsa-secp256k1-sha256/" #VERB, IMPL, "SHA256, " NAME, FUNCTIONS##_##VERB, SECP256K1, .form = "der",     \
             __VA_ARGS__)
#define SECP256K1_ROWS                                                                                                 \
    SECP256K1_ROW(sign, "default", "ECDSA_sign", ecdsa, .seed = random_seed),                                          \
        SECP256K1_ROW(sign, "EVP_PKEY", "EVP_PKEY_sign", evp_ecdsa, .seed = random_seed),                              \
        SECP256K1_ROW(verify, "default", "ECDSA_verify", ecdsa, .seeded = 0),                                          \
        SECP256K1_ROW(verify, "EVP_PKEY", "EVP_PKEY_verify", evp_ecdsa, .seeded = 0),                                  \
        PKEY_ROW("secp256k1/derive", "default", "ECDH_compute_key", ecdh, SECP256K1),                                  \
        {.id = "secp256k1/multiply-base",                                                                              \
         .impl = "default",                                                                                            \
         .name = "EC_POINT_mul",                                                                                       \
         .setup = base_setup,                                                                                          \
         .call = base_call,                                                                                            \
         .teardown = session_free,                                                                                     \
         SECP256K1},                                                                                                   \
    {                                                                                                                  \
        .id = "secp256k1/keygen", .impl = "default", .name = "EC_KEY_generate_key", .setup = keygen_setup,             \
        .call = ec_keygen_call, .teardown = session_free, SECP256K1, .seed = random_seed                               \
    }

/* `param` is a pointer to the function that gives the cipher. */
int ccm_seal_setup(cs_case *c);
int ccm_seal_call(cs_case *c);
int ccm_open_setup(cs_case *c);
int ccm_open_call(cs_case *c);

#define OWN_CIPHER_ROW(ID, NAME, FUNCTIONS, CALL, REKEY, BLOCK)                                                        \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = "EVP_" #NAME,                                                                                             \
     .setup = FUNCTIONS##_setup,                                                                                       \
     .call = CALL,                                                                                                     \
     .rekey = REKEY,                                                                                                   \
     .teardown = session_free,                                                                                         \
     CIPHER_OF(NAME),                                                                                                  \
     .block = BLOCK}
#define OWN_MODE_ROWS                                                                                                  \
    OWN_CIPHER_ROW("aes-128-ccm/seal", aes_128_ccm, ccm_seal, ccm_seal_call, cipher_rekey, 0),                         \
        OWN_CIPHER_ROW("aes-128-ccm/open", aes_128_ccm, ccm_open, ccm_open_call, cipher_rekey, 0),                     \
        OWN_CIPHER_ROW("aes-256-ccm/seal", aes_256_ccm, ccm_seal, ccm_seal_call, cipher_rekey, 0),                     \
        OWN_CIPHER_ROW("aes-256-ccm/open", aes_256_ccm, ccm_open, ccm_open_call, cipher_rekey, 0),                     \
        OWN_CIPHER_ROW("aes-256-xts/encrypt", aes_256_xts, encrypt, cipher_call, cipher_rekey, 16),                    \
        OWN_CIPHER_ROW("aes-256-xts/decrypt", aes_256_xts, decrypt, cipher_call, cipher_rekey, 16)

#define OWN_ROWS                                                                                                       \
    OWN_MODE_ROWS, RIPEMD_ROWS, SHAKE_ROW(128), SHAKE_ROW(256), SECP256K1_ROWS, KEM_ROWS("ml-kem-512", NID_MLKEM512),  \
        KEM_ROWS("ml-kem-768", NID_MLKEM768), KEM_ROWS("ml-kem-1024", NID_MLKEM1024), ML_DSA_ROWS,                     \
        BIGNUM_CRT_ROW("BN_mod_exp_mont_consttime_x2", "BN_mod_exp_mont_consttime_x2", bignum_crt_x2)

#endif
