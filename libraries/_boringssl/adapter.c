/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL (https://boringssl.googlesource.com/boringssl) and its fork AWS-LC (https://github.com/aws/aws-lc): the
 * public headers of libcrypto that both have. The table; adapter_own.h of the library's folder adds its own rows.
 */
#include "adapter.h"
#include "adapter_import.h"
#include "libcrypto.h"
#include "adapter_rsa.h"
#include "adapter_nist.h"
#include "adapter_bignum.h"
#include "adapter_modes.h"
#include "adapter_own.h"
#include "adapter_ffdh.h"
#include "adapter_dsa.h"
#include "adapter_kdf.h"

/* What the headers let an application ask about the processor. */
static const char *library_cpu_path(void)
{
    return EVP_has_aes_hardware() ? "AES and GHASH by instructions" : "AES and GHASH without instructions of their own";
}

#define GETTER(NAME) &(NAME##_getter)
#define MD(NAME) static const EVP_MD *(*const NAME##_getter)(void) = EVP_##NAME
#define CIPHER(NAME) static const EVP_CIPHER *(*const NAME##_getter)(void) = EVP_##NAME
#define AEAD(NAME) static const EVP_AEAD *(*const NAME##_getter)(void) = EVP_##NAME

MD(md5);
MD(sha1);
MD(sha256);
MD(sha512);
MD(sha3_256);
MD(sha224);
MD(sha384);
MD(sha512_256);
MD(sha3_384);
MD(sha3_512);
CIPHER(aes_128_cbc);
CIPHER(aes_192_cbc);
CIPHER(aes_256_cbc);
CIPHER(aes_128_ctr);
CIPHER(aes_192_ctr);
CIPHER(aes_256_ctr);
CIPHER(aes_128_gcm);
CIPHER(aes_192_gcm);
CIPHER(aes_256_gcm);
CIPHER(des_ede3_cbc);
AEAD(aead_aes_128_gcm);
AEAD(aead_aes_192_gcm);
AEAD(aead_aes_256_gcm);
AEAD(aead_chacha20_poly1305);

#define HASH(ALGORITHM, NAME)                                                                                          \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "EVP_" #NAME,                                                                                             \
     .setup = hash_setup,                                                                                              \
     .call = hash_call,                                                                                                \
     .teardown = session_free,                                                                                         \
     .param = GETTER(NAME)},                                                                                           \
    {                                                                                                                  \
        .id = ALGORITHM "/hash", .impl = "oneshot", .name = "EVP_Digest EVP_" #NAME, .call = hash_oneshot_call,        \
        .param = GETTER(NAME)                                                                                          \
    }
#define HASH_FUNCTION(ALGORITHM, FUNCTION, CALL)                                                                       \
    {.id = ALGORITHM "/hash", .impl = #FUNCTION, .name = #FUNCTION, .call = CALL}
#define CMAC(ALGORITHM, NAME)                                                                                          \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = "CMAC_CTX EVP_" #NAME,                                                                                    \
     .setup = cmac_setup,                                                                                              \
     .call = cmac_call,                                                                                                \
     .rekey = cmac_rekey,                                                                                              \
     .teardown = session_free,                                                                                         \
     .param = GETTER(NAME)},                                                                                           \
    {                                                                                                                  \
        .id = ALGORITHM "/mac", .impl = "oneshot", .name = "AES_CMAC", .call = cmac_oneshot_call,                      \
        .rekey = cs_key_in_call                                                                                        \
    }
#define EVP_ROW(ID, IMPL, NAME, SETUP, CALL, BLOCK)                                                                    \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = "EVP_" #NAME,                                                                                             \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = cipher_rekey,                                                                                            \
     .teardown = session_free,                                                                                         \
     .param = GETTER(NAME),                                                                                            \
     .block = BLOCK}
#define LOW_ROW(ID, FUNCTION, SETUP, CALL, BLOCK)                                                                      \
    {.id = ID,                                                                                                         \
     .impl = #FUNCTION,                                                                                                \
     .name = #FUNCTION,                                                                                                \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     .block = BLOCK}
#define CBC(ALGORITHM, NAME, BLOCK)                                                                                    \
    EVP_ROW(ALGORITHM "/encrypt", "default", NAME, encrypt_setup, cipher_call, BLOCK),                                 \
        EVP_ROW(ALGORITHM "/decrypt", "default", NAME, decrypt_setup, cipher_call, BLOCK)
#define AES_CBC(ALGORITHM, NAME)                                                                                       \
    CBC(ALGORITHM, NAME, AES_BLOCK_SIZE),                                                                              \
        LOW_ROW(ALGORITHM "/encrypt", AES_cbc_encrypt, aes_encrypt_setup, aes_cbc_encrypt_call, AES_BLOCK_SIZE),       \
        LOW_ROW(ALGORITHM "/decrypt", AES_cbc_encrypt, aes_decrypt_setup, aes_cbc_decrypt_call, AES_BLOCK_SIZE)
#define AES_CTR(ALGORITHM, NAME)                                                                                       \
    EVP_ROW(ALGORITHM "/encrypt", "default", NAME, encrypt_setup, cipher_call, 0),                                     \
        LOW_ROW(ALGORITHM "/encrypt", AES_ctr128_encrypt, aes_encrypt_setup, aes_ctr_call, 0)
#define AEAD_ROWS(ALGORITHM, NAME)                                                                                     \
    {.id = ALGORITHM "/seal",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "EVP_AEAD_CTX_seal EVP_" #NAME,                                                                           \
     .setup = seal_setup,                                                                                              \
     .call = seal_call,                                                                                                \
     .rekey = aead_rekey,                                                                                              \
     .teardown = session_free,                                                                                         \
     .param = GETTER(NAME)},                                                                                           \
    {                                                                                                                  \
        .id = ALGORITHM "/open", .impl = "default", .name = "EVP_AEAD_CTX_open_gather EVP_" #NAME,                     \
        .setup = open_setup, .call = open_call, .rekey = aead_rekey, .teardown = session_free, .param = GETTER(NAME)   \
    }
#define GCM(ALGORITHM, NAME)                                                                                           \
    AEAD_ROWS(ALGORITHM, aead_##NAME),                                                                                 \
        EVP_ROW(ALGORITHM "/seal", "EVP_CIPHER", NAME, gcm_seal_setup, gcm_seal_call, 0),                              \
        EVP_ROW(ALGORITHM "/open", "EVP_CIPHER", NAME, gcm_open_setup, gcm_open_call, 0)
#define HMAC_ROWS(ALGORITHM, DIGEST)                                                                                   \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = "HMAC_CTX EVP_" #DIGEST,                                                                                  \
     .setup = hmac_setup,                                                                                              \
     .call = hmac_call,                                                                                                \
     .rekey = hmac_rekey,                                                                                              \
     .teardown = session_free,                                                                                         \
     .param = GETTER(DIGEST)},                                                                                         \
    {                                                                                                                  \
        .id = ALGORITHM "/mac", .impl = "oneshot", .name = "HMAC EVP_" #DIGEST, .call = hmac_oneshot_call,             \
        .rekey = cs_key_in_call, .param = GETTER(DIGEST)                                                               \
    }
#define PKEY_ROW(ID, IMPL, NAME, FUNCTIONS, ...)                                                                       \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = FUNCTIONS##_setup,                                                                                       \
     .call = FUNCTIONS##_call,                                                                                         \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     __VA_ARGS__}
#define KEYGEN_ROW(ALGORITHM, IMPL, FUNCTION, CALL, SEEDED)                                                            \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = IMPL,                                                                                                     \
     .name = #FUNCTION,                                                                                                \
     .setup = keygen_setup,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = session_free,                                                                                         \
     .seed = random_seed,                                                                                              \
     .seeded = SEEDED}

#define RSA_KEYGEN_ROW(ALGORITHM, BITS, IMPL, FUNCTION, CALL)                                                          \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = IMPL,                                                                                                     \
     .name = FUNCTION,                                                                                                 \
     .setup = keygen_setup,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = session_free,                                                                                         \
     .param = &(const int){BITS},                                                                                      \
     .seed = random_seed}
#define RSA_KEYGEN_ROWS(ALGORITHM, BITS)                                                                               \
    RSA_KEYGEN_ROW(ALGORITHM, BITS, "default", "RSA_generate_key_ex", rsa_keygen_call),                                \
        RSA_KEYGEN_ROW(ALGORITHM, BITS, "RSA_generate_key_fips", "RSA_generate_key_fips", rsa_keygen_fips_call)

/* clang-format off */
static const cs_op ops[] = {
    HASH("md5", md5), HASH("sha-1", sha1), HASH("sha-256", sha256), HASH("sha-512", sha512), HASH("sha3-256", sha3_256),
    HASH("sha-224", sha224), HASH("sha-384", sha384), HASH("sha-512-256", sha512_256), HASH("sha3-384", sha3_384), HASH("sha3-512", sha3_512),
    HASH_FUNCTION("sha-224", SHA224, sha224_call), HASH_FUNCTION("sha-384", SHA384, sha384_call), HASH_FUNCTION("sha-512-256", SHA512_256, sha512_256_call),
    HASH_FUNCTION("md5", MD5, md5_call), HASH_FUNCTION("sha-1", SHA1, sha1_call),
    HASH_FUNCTION("sha-256", SHA256, sha256_call), HASH_FUNCTION("sha-512", SHA512, sha512_call),

    {.id = "hmac-sha-256/mac", .impl = "default", .name = "HMAC_CTX EVP_sha256", .setup = hmac_setup, .call = hmac_call, .rekey = hmac_rekey, .teardown = session_free},
    {.id = "hmac-sha-256/mac", .impl = "oneshot", .name = "HMAC", .call = hmac_oneshot_call, .rekey = cs_key_in_call},
    HMAC_ROWS("hmac-sha-1", sha1), HMAC_ROWS("hmac-sha-384", sha384), HMAC_ROWS("hmac-sha-512", sha512),
    {.id = "siphash-2-4/mac", .impl = "default", .name = "SIPHASH_24", .setup = siphash_setup, .call = siphash_call, .rekey = siphash_rekey, .teardown = siphash_teardown},
    CMAC("cmac-aes-128", aes_128_cbc), CMAC("cmac-aes-256", aes_256_cbc),
    {.id = "poly1305/mac", .impl = "default", .name = "CRYPTO_poly1305", .setup = poly1305_setup, .call = poly1305_call, .rekey = cs_key_in_call},

    AES_CBC("aes-128-cbc", aes_128_cbc), AES_CBC("aes-192-cbc", aes_192_cbc), AES_CBC("aes-256-cbc", aes_256_cbc),
    AES_CTR("aes-128-ctr", aes_128_ctr), AES_CTR("aes-192-ctr", aes_192_ctr), AES_CTR("aes-256-ctr", aes_256_ctr),
    CBC("3des-cbc", des_ede3_cbc, 8),
    LOW_ROW("3des-cbc/encrypt", DES_ede3_cbc_encrypt, des_setup, des_encrypt_call, 8),
    LOW_ROW("3des-cbc/decrypt", DES_ede3_cbc_encrypt, des_setup, des_decrypt_call, 8),
    {.id = "chacha20/encrypt", .impl = "default", .name = "CRYPTO_chacha_20", .setup = chacha20_setup, .call = chacha20_call, .rekey = cs_key_in_call},

    GCM("aes-128-gcm", aes_128_gcm), GCM("aes-192-gcm", aes_192_gcm), GCM("aes-256-gcm", aes_256_gcm), AEAD_ROWS("chacha20-poly1305", aead_chacha20_poly1305),
    MODE_ROWS,

    {.id = "x25519/derive", .impl = "default", .name = "X25519", .setup = x25519_setup, .call = x25519_call, .rekey = cs_key_in_call},
    {.id = "x25519/multiply-base", .impl = "default", .name = "X25519_public_from_private", .setup = x25519_setup, .call = x25519_base_call},
    PKEY_ROW("x25519/derive", "EVP_PKEY", "EVP_PKEY_derive", evp_x25519, .seeded = 0),
    PKEY_ROW("ed25519/sign", "default", "ED25519_sign", ed25519_sign, .seeded = 0),
    PKEY_ROW("ed25519/sign", "EVP_PKEY", "EVP_DigestSign", evp_ed25519_sign, .seeded = 0),
    {.id = "ed25519/verify", .impl = "default", .name = "ED25519_verify", .call = ed25519_verify_call, .rekey = cs_key_in_call},
    PKEY_ROW("ed25519/verify", "EVP_PKEY", "EVP_DigestVerify", evp_ed25519_verify, .seeded = 0),
    PKEY_ROW("ecdsa-p256-sha256/sign", "default", "SHA256, ECDSA_sign", ecdsa_sign, .form = "der", .seed = random_seed),
    PKEY_ROW("ecdsa-p256-sha256/sign", "EVP_PKEY", "SHA256, EVP_PKEY_sign", evp_ecdsa_sign, .form = "der", .seed = random_seed),
    PKEY_ROW("ecdsa-p256-sha256/verify", "default", "SHA256, ECDSA_verify", ecdsa_verify, .form = "der"),
    PKEY_ROW("ecdsa-p256-sha256/verify", "EVP_PKEY", "SHA256, EVP_PKEY_verify", evp_ecdsa_verify, .form = "der"),

    KEYGEN_ROW("x25519", "default", X25519_keypair, x25519_keygen_call, 0),
    KEYGEN_ROW("ed25519", "default", ED25519_keypair, ed25519_keygen_call, 1),
    KEYGEN_ROW("p-256", "default", EC_KEY_generate_key, ec_keygen_call, 0),
    RSA_KEYGEN_ROWS("rsa-2048", 2048), RSA_KEYGEN_ROWS("rsa-3072", 3072), RSA_KEYGEN_ROWS("rsa-4096", 4096),
    RSA_ROWS,
    DSA_ROWS,
    IMPORT_ROWS,
    X509_ROWS(.seed = random_seed),

    NIST_ROWS,
    {.id = "random/fetch", .impl = "default", .name = "RAND_bytes", .setup = fetch_setup, .call = fetch_call, .seed = random_seed},
    FFDH_ROWS,

    BIGNUM_ROWS,

    OWN_ROWS,
    KDF_ROWS,
};
/* clang-format on */

static const cs_library library = {
    .abi = CS_ABI,
    .id = OWN_ID,
    .version = own_version,
    .version_from = OWN_VERSION_FROM,
    .cpu_path = library_cpu_path,
    .tables = CS_ROWS(ops),
};

CS_WORKER_MAIN(library)
