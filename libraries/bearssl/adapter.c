/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: the library, and the table of operations. Every implementation inside BearSSL is a lane; `default`
 * is the one that BearSSL's TLS engine would take here. The operations are in adapter_<family>.c.
 */
#include "adapter.h"
#include "adapter_import.h"
#include "adapter_x509.h"
#include "adapter_keys.h"
#include "adapter_modes.h"
#include "adapter_padding.h"
#include "adapter_nist.h"
#include "adapter_random.h"
#include "adapter_kdf.h"

#include <string.h>

static const char *version(void)
{
    return CS_PACKAGE_VERSION;
}

/* The library reports no CPU features, but its get functions tell which of its special code can run. */
static const char *cpu_path(void)
{
    static char path[64];

    path[0] = '\0';
    strcat(path, br_aes_x86ni_ctr_get_vtable() != NULL ? " x86ni" : "");
    strcat(path, br_ghash_pclmul_get() != 0 ? " pclmul" : "");
    strcat(path, br_chacha20_sse2_get() != 0 ? " sse2" : "");
    strcat(path, br_aes_pwr8_ctr_get_vtable() != NULL ? " pwr8" : "");
    return path[0] != '\0' ? path + 1 : "portable";
}

int bear_configured(const char *name)
{
    const br_config_option *option = br_get_config();

    while (option->name != NULL && strcmp(option->name, name) != 0) {
        option++;
    }
    return option->name != NULL && option->value != 0;
}

void bear_free(cs_case *c)
{
    cs_free(c->state);
    c->state = NULL;
}

/* -- rows -- */

#define HASH(ID, NAME)                                                                                                 \
    {.id = ID "/hash",                                                                                                 \
     .impl = "default",                                                                                                \
     .name = "br_" #NAME,                                                                                              \
     .setup = bear_hash_setup,                                                                                         \
     .call = bear_hash,                                                                                                \
     .teardown = bear_free,                                                                                            \
     .param = &br_##NAME##_vtable}

#define BLOCK(ID, VERB, IMPL, NAME, FAMILY, LANE, SIZE)                                                                \
    {.id = ID "/" VERB,                                                                                                \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_##FAMILY##_setup,                                                                                   \
     .call = bear_##FAMILY,                                                                                            \
     .rekey = bear_##FAMILY##_rekey,                                                                                   \
     .teardown = bear_free,                                                                                            \
     .param = &(const struct bear_block_param){&bear_##LANE},                                                          \
     .unavailable = bear_##FAMILY##_unavailable,                                                                       \
     .block = SIZE}
#define AES(BITS, IMPL, NAME, LANE)                                                                                    \
    BLOCK("aes-" #BITS "-cbc", "encrypt", IMPL, NAME "_cbcenc_run", cbcenc, LANE, 16),                                 \
        BLOCK("aes-" #BITS "-cbc", "decrypt", IMPL, NAME "_cbcdec_run", cbcdec, LANE, 16),                             \
        BLOCK("aes-" #BITS "-ctr", "encrypt", IMPL, NAME "_ctr_run", ctr, LANE, 0)
#define AES_LANE(BITS, LANE) AES(BITS, #LANE, "br_" #LANE, LANE)
#define DES(IMPL, NAME, LANE)                                                                                          \
    BLOCK("3des-cbc", "encrypt", IMPL, NAME "_cbcenc_run", cbcenc, LANE, 8),                                           \
        BLOCK("3des-cbc", "decrypt", IMPL, NAME "_cbcdec_run", cbcdec, LANE, 8)

#define GHASH(IMPL, NAME, LANE)                                                                                        \
    {.id = "ghash/mac",                                                                                                \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_ghash_setup,                                                                                        \
     .call = bear_ghash,                                                                                               \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &bear_##LANE,                                                                                            \
     .unavailable = bear_ghash_unavailable}
#define GCM_ROW(BITS, VERB, IMPL, NAME, CTR, MAC)                                                                      \
    {.id = "aes-" #BITS "-gcm/" #VERB,                                                                                 \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_gcm_setup,                                                                                          \
     .call = bear_gcm_##VERB,                                                                                          \
     .rekey = bear_gcm_rekey,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &(const struct bear_gcm_param){&bear_##CTR, &bear_##MAC},                                                \
     .unavailable = bear_gcm_unavailable}
#define GCM(BITS, IMPL, NAME, CTR, MAC)                                                                                \
    GCM_ROW(BITS, seal, IMPL, NAME, CTR, MAC), GCM_ROW(BITS, open, IMPL, NAME, CTR, MAC)
#define GCM_LANE(BITS, CTR, MAC) GCM(BITS, #CTR "+" #MAC, "br_gcm, br_" #CTR "_ctr, br_" #MAC, CTR, MAC)

#define CHACHA(IMPL, NAME, LANE)                                                                                       \
    {.id = "chacha20/encrypt",                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_chacha20_setup,                                                                                     \
     .call = bear_chacha20,                                                                                            \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &bear_##LANE,                                                                                            \
     .unavailable = bear_chacha20_unavailable}
#define CHAPOL_ROW(VERB, IMPL, NAME, MAC, CIPHER)                                                                      \
    {.id = "chacha20-poly1305/" #VERB,                                                                                 \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_chapol_setup,                                                                                       \
     .call = bear_chapol_##VERB,                                                                                       \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &(const struct bear_chapol_param){&bear_##MAC, &bear_##CIPHER},                                          \
     .unavailable = bear_chapol_unavailable}
#define CHAPOL(IMPL, NAME, MAC, CIPHER)                                                                                \
    CHAPOL_ROW(seal, IMPL, NAME, MAC, CIPHER), CHAPOL_ROW(open, IMPL, NAME, MAC, CIPHER)
#define CHAPOL_LANE(MAC, CIPHER) CHAPOL(#MAC "+" #CIPHER, "br_" #MAC "_run, br_" #CIPHER "_run", MAC, CIPHER)

#define FRAMED(IMPL, NAME, LANE)                                                                                       \
    {.id = "poly1305-framed/mac",                                                                                      \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_framed_setup,                                                                                       \
     .call = bear_framed,                                                                                              \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &bear_##LANE,                                                                                            \
     .unavailable = bear_framed_unavailable}
#define FRAMED_LANE(LANE) FRAMED(#LANE, "br_" #LANE "_run", LANE)

#define X25519(IMPL, NAME, LANE)                                                                                       \
    {.id = "x25519/derive",                                                                                            \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_x25519_setup,                                                                                       \
     .call = bear_x25519,                                                                                              \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &bear_##LANE,                                                                                            \
     .unavailable = bear_x25519_unavailable}
#define ECDSA_ROW(VERB, IMPL, NAME, ECDSA, EC)                                                                         \
    {.id = "ecdsa-p256-sha256/" #VERB,                                                                                 \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_ecdsa_##VERB##_setup,                                                                               \
     .call = bear_ecdsa_##VERB,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &(const struct bear_ecdsa_param){&bear_##ECDSA, &bear_##EC, NULL},                                       \
     .form = "p1363",                                                                                                  \
     .unavailable = bear_ecdsa_unavailable}
#define ECDSA_LANE(ECDSA, EC)                                                                                          \
    ECDSA_ROW(sign, #ECDSA "+ec_" #EC, "br_" #ECDSA "_sign_raw, br_ec_" #EC, ECDSA, EC),                               \
        ECDSA_ROW(verify, #ECDSA "+ec_" #EC, "br_" #ECDSA "_vrfy_raw, br_ec_" #EC, ECDSA, EC)

/* BR_MAX_RSA_SIZE. */
#define RSA_BITS "bits=512|1024|2048|3072|4096"
#define RSA_ROW(ID, PARAMS, IMPL, NAME, KIND, LANE)                                                                    \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_rsa_##KIND##_setup,                                                                                 \
     .call = bear_rsa_##KIND,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &bear_rsa_##LANE,                                                                                        \
     .unavailable = bear_rsa_unavailable,                                                                              \
     .params = PARAMS}
#define RSA_PUBLIC(IMPL, NAME, LANE)                                                                                   \
    RSA_ROW("modexp/private", "crt=no," RSA_BITS, IMPL, NAME, public, LANE),                                           \
        RSA_ROW("modexp/public", RSA_BITS, IMPL, NAME, public, LANE)
#define RSA_PUBLICS                                                                                                    \
    RSA_PUBLIC("default", "br_rsa_public_get_default", default), RSA_PUBLIC("i15", "br_rsa_i15_public", i15),          \
        RSA_PUBLIC("i31", "br_rsa_i31_public", i31), RSA_PUBLIC("i32", "br_rsa_i32_public", i32),                      \
        RSA_PUBLIC("i62", "br_rsa_i62_public", i62)
#define RSA_PRIVATE(IMPL, NAME, LANE) RSA_ROW("modexp/private", "crt=yes," RSA_BITS, IMPL, NAME, private, LANE)
#define RSA_PRIVATES                                                                                                   \
    RSA_PRIVATE("default", "br_rsa_private_get_default", default), RSA_PRIVATE("i15", "br_rsa_i15_private", i15),      \
        RSA_PRIVATE("i31", "br_rsa_i31_private", i31), RSA_PRIVATE("i32", "br_rsa_i32_private", i32),                  \
        RSA_PRIVATE("i62", "br_rsa_i62_private", i62)

#define COPIED(ID, FAMILY, CALL, NAME, SIZE, TYPE, ...)                                                                \
    {.id = ID,                                                                                                         \
     .impl = "two_copies",                                                                                             \
     .name = NAME,                                                                                                     \
     .setup = bear_##FAMILY##_setup,                                                                                   \
     .call = bear_##CALL##_copied,                                                                                     \
     .cannot = "place: the lane shows a copy",                                                                         \
     .teardown = bear_free,                                                                                            \
     .param = &(const struct bear_##TYPE##_param){__VA_ARGS__},                                                        \
     .unavailable = bear_##FAMILY##_unavailable,                                                                       \
     .block = SIZE}
#define AES_COPIED(BITS)                                                                                               \
    COPIED("aes-" #BITS "-cbc/encrypt", cbcenc, cbcenc, "br_aes_*_cbcenc_run", 16, block, &bear_aes_default),          \
        COPIED("aes-" #BITS "-cbc/decrypt", cbcdec, cbcdec, "br_aes_*_cbcdec_run", 16, block, &bear_aes_default),      \
        COPIED("aes-" #BITS "-ctr/encrypt", ctr, ctr, "br_aes_*_ctr_run", 0, block, &bear_aes_default),                \
        COPIED("aes-" #BITS "-gcm/seal", gcm, gcm_seal, "br_gcm, br_aes_*_ctr, br_ghash_*", 0, gcm, &bear_aes_default, \
               &bear_ghash_default),                                                                                   \
        COPIED("aes-" #BITS "-gcm/open", gcm, gcm_open, "br_gcm, br_aes_*_ctr, br_ghash_*", 0, gcm, &bear_aes_default, \
               &bear_ghash_default)

#define HMAC(ALGORITHM, HASH)                                                                                          \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = "br_hmac br_" #HASH "_vtable",                                                                            \
     .setup = bear_hmac_setup,                                                                                         \
     .call = bear_hmac,                                                                                                \
     .rekey = bear_hmac_rekey,                                                                                         \
     .teardown = bear_free,                                                                                            \
     .param = &br_##HASH##_vtable}

static const cs_op ops[] = {
    HASH("md5", md5),
    HASH("sha-1", sha1),
    HASH("sha-256", sha256),
    HASH("sha-512", sha512),
    HASH("sha-224", sha224),
    HASH("sha-384", sha384),
    HMAC("hmac-sha-1", sha1),
    HMAC("hmac-sha-256", sha256),
    HMAC("hmac-sha-384", sha384),
    HMAC("hmac-sha-512", sha512),
    RANDOM_ROWS,

    AES(128, "default", "br_aes_*", aes_default),
    AES_LANE(128, aes_big),
    AES_LANE(128, aes_small),
    AES_LANE(128, aes_ct),
    AES_LANE(128, aes_ct64),
    AES_LANE(128, aes_x86ni),
    AES_LANE(128, aes_pwr8),
    AES(192, "default", "br_aes_*", aes_default),
    AES_LANE(192, aes_big),
    AES_LANE(192, aes_small),
    AES_LANE(192, aes_ct),
    AES_LANE(192, aes_ct64),
    AES_LANE(192, aes_x86ni),
    AES_LANE(192, aes_pwr8),
    AES(256, "default", "br_aes_*", aes_default),
    AES_LANE(256, aes_big),
    AES_LANE(256, aes_small),
    AES_LANE(256, aes_ct),
    AES_LANE(256, aes_ct64),
    AES_LANE(256, aes_x86ni),
    AES_LANE(256, aes_pwr8),
    DES("default", "br_des_ct", des_default),
    DES("des_tab", "br_des_tab", des_tab),
    DES("des_ct", "br_des_ct", des_ct),

    GHASH("default", "br_ghash_*", ghash_default),
    GHASH("ghash_ctmul", "br_ghash_ctmul", ghash_ctmul),
    GHASH("ghash_ctmul32", "br_ghash_ctmul32", ghash_ctmul32),
    GHASH("ghash_ctmul64", "br_ghash_ctmul64", ghash_ctmul64),
    GHASH("ghash_pclmul", "br_ghash_pclmul", ghash_pclmul),
    GHASH("ghash_pwr8", "br_ghash_pwr8", ghash_pwr8),
    GCM(128, "default", "br_gcm, br_aes_*_ctr, br_ghash_*", aes_default, ghash_default),
    GCM_LANE(128, aes_big, ghash_ctmul),
    GCM_LANE(128, aes_small, ghash_ctmul),
    GCM_LANE(128, aes_ct, ghash_ctmul),
    GCM_LANE(128, aes_ct64, ghash_ctmul32),
    GCM_LANE(128, aes_ct64, ghash_ctmul64),
    GCM_LANE(128, aes_ct64, ghash_pclmul),
    GCM_LANE(128, aes_x86ni, ghash_pclmul),
    GCM_LANE(128, aes_pwr8, ghash_pwr8),
    GCM(192, "default", "br_gcm, br_aes_*_ctr, br_ghash_*", aes_default, ghash_default),
    GCM_LANE(192, aes_big, ghash_ctmul),
    GCM_LANE(192, aes_small, ghash_ctmul),
    GCM_LANE(192, aes_ct, ghash_ctmul),
    GCM_LANE(192, aes_ct64, ghash_ctmul32),
    GCM_LANE(192, aes_ct64, ghash_ctmul64),
    GCM_LANE(192, aes_ct64, ghash_pclmul),
    GCM_LANE(192, aes_x86ni, ghash_pclmul),
    GCM_LANE(192, aes_pwr8, ghash_pwr8),
    GCM(256, "default", "br_gcm, br_aes_*_ctr, br_ghash_*", aes_default, ghash_default),
    GCM_LANE(256, aes_big, ghash_ctmul),
    GCM_LANE(256, aes_small, ghash_ctmul),
    GCM_LANE(256, aes_ct, ghash_ctmul),
    GCM_LANE(256, aes_ct64, ghash_ctmul32),
    GCM_LANE(256, aes_ct64, ghash_ctmul64),
    GCM_LANE(256, aes_ct64, ghash_pclmul),
    GCM_LANE(256, aes_x86ni, ghash_pclmul),
    GCM_LANE(256, aes_pwr8, ghash_pwr8),

    CHACHA("default", "br_chacha20_*_run", chacha20_default),
    CHACHA("chacha20_ct", "br_chacha20_ct_run", chacha20_ct),
    CHACHA("chacha20_sse2", "br_chacha20_sse2_run", chacha20_sse2),
    CHAPOL("default", "br_poly1305_*_run, br_chacha20_*_run", poly1305_default, chacha20_default),
    CHAPOL_LANE(poly1305_ctmul, chacha20_ct),
    CHAPOL_LANE(poly1305_ctmul, chacha20_sse2),
    CHAPOL_LANE(poly1305_ctmul32, chacha20_ct),
    CHAPOL_LANE(poly1305_ctmul32, chacha20_sse2),
    CHAPOL_LANE(poly1305_ctmulq, chacha20_ct),
    CHAPOL_LANE(poly1305_ctmulq, chacha20_sse2),
    CHAPOL_LANE(poly1305_i15, chacha20_ct),
    CHAPOL_LANE(poly1305_i15, chacha20_sse2),

    FRAMED("default", "br_poly1305_*_run", poly1305_default),
    FRAMED_LANE(poly1305_ctmul),
    FRAMED_LANE(poly1305_ctmul32),
    FRAMED_LANE(poly1305_ctmulq),
    FRAMED_LANE(poly1305_i15),

    X25519("default", "br_ec_get_default", ec_default),
    X25519("ec_c25519_i15", "br_ec_c25519_i15", c25519_i15),
    X25519("ec_c25519_i31", "br_ec_c25519_i31", c25519_i31),
    X25519("ec_c25519_m15", "br_ec_c25519_m15", c25519_m15),
    X25519("ec_c25519_m31", "br_ec_c25519_m31", c25519_m31),
    X25519("ec_c25519_m62", "br_ec_c25519_m62", c25519_m62),
    X25519("ec_c25519_m64", "br_ec_c25519_m64", c25519_m64),
    X25519("ec_all_m15", "br_ec_all_m15", all_m15),
    X25519("ec_all_m31", "br_ec_all_m31", all_m31),
    ECDSA_ROW(sign, "default", "br_ecdsa_sign_raw_get_default, br_ec_get_default", ecdsa_default, ec_default),
    ECDSA_ROW(verify, "default", "br_ecdsa_vrfy_raw_get_default, br_ec_get_default", ecdsa_default, ec_default),
    ECDSA_LANE(ecdsa_i15, p256_m15),
    ECDSA_LANE(ecdsa_i15, prime_i15),
    ECDSA_LANE(ecdsa_i31, p256_m31),
    ECDSA_LANE(ecdsa_i31, p256_m62),
    ECDSA_LANE(ecdsa_i31, p256_m64),
    ECDSA_LANE(ecdsa_i31, prime_i31),
    ECDSA_LANE(ecdsa_i15, all_m15),
    ECDSA_LANE(ecdsa_i31, all_m31),

    AES_COPIED(128),
    AES_COPIED(192),
    AES_COPIED(256),
    MODE_ROWS,
    COPIED("3des-cbc/encrypt", cbcenc, cbcenc, "br_des_ct_cbcenc_run", 8, block, &bear_des_default),
    COPIED("3des-cbc/decrypt", cbcdec, cbcdec, "br_des_ct_cbcdec_run", 8, block, &bear_des_default),
    {.id = "chacha20/encrypt",
     .impl = "two_copies",
     .name = "br_chacha20_*_run",
     .setup = bear_chacha20_setup,
     .call = bear_chacha20_copied,
     .teardown = bear_free,
     .param = &bear_chacha20_default,
     .unavailable = bear_chacha20_unavailable},
    COPIED("chacha20-poly1305/seal", chapol, chapol_seal, "br_poly1305_*_run, br_chacha20_*_run", 0, chapol,
           &bear_poly1305_default, &bear_chacha20_default),
    COPIED("chacha20-poly1305/open", chapol, chapol_open, "br_poly1305_*_run, br_chacha20_*_run", 0, chapol,
           &bear_poly1305_default, &bear_chacha20_default),

    RSA_PUBLICS,
    RSA_PRIVATES,
    KEYGENS,
    PADDINGS,
    IMPORTS,
    X509_ROWS,
    NIST_ROWS,
    KDF_ROWS,
};

static const cs_library library = {
    .abi = CS_ABI,
    .id = "bearssl",
    .version = version,
    .version_from = "package",
    .cpu_path = cpu_path,
    .tables = CS_ROWS(ops),
};

CS_WORKER_MAIN(library)
