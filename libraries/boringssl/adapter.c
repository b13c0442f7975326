/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL, https://boringssl.googlesource.com/boringssl: what it has beside the adapter that it shares with AWS-LC.
 * ML-KEM, and ECDSA signatures of fixed length.
 */
#include <openssl/bytestring.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/mlkem.h>
#include <openssl/nid.h>
#include <openssl/sha.h>

#include "adapter.h"

#ifndef OPENSSL_IS_BORINGSSL
#error "these are not the headers of BoringSSL"
#endif

#define TEXT(NUMBER) #NUMBER
#define EXPANDED(NUMBER) TEXT(NUMBER)

/* The library has no releases: what it counts is changes of its interface, and only the header says the number. */
static const char *own_version(void)
{
    return EXPANDED(BORINGSSL_API_VERSION);
}

/* ---- ECDSA, IEEE P1363 ---- */

static int ecdsa_sign_p1363_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[SHA512_DIGEST_LENGTH];
    const size_t hash_len = ecdsa_digest(c, hash);

    return ECDSA_sign_p1363(hash, hash_len, c->out, &c->out_len, c->out_cap, s->ec) == 1
               ? CS_OK
               : session_fail("ECDSA_sign_p1363");
}

static int ecdsa_verify_p1363_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[SHA512_DIGEST_LENGTH];
    const size_t hash_len = ecdsa_digest(c, hash);

    return ECDSA_verify_p1363(hash, hash_len, c->sig.data, c->sig.len, s->ec) == 1
               ? CS_OK
               : session_reject("ECDSA_verify_p1363");
}

/* ---- ML-KEM ---- */

/* The parser finds numbers that are not reduced. */
#define ENCAPS(BITS)                                                                                                   \
    static int encaps_##BITS##_setup(cs_case *c)                                                                       \
    {                                                                                                                  \
        CBS in;                                                                                                        \
                                                                                                                       \
        c->state = cs_alloc(sizeof(struct MLKEM##BITS##_public_key));                                                  \
        if (c->state == NULL)                                                                                          \
            return CS_ERROR;                                                                                           \
        CBS_init(&in, c->pub.data, c->pub.len);                                                                        \
        if (MLKEM##BITS##_parse_public_key(c->state, &in) == 1)                                                        \
            return CS_OK;                                                                                              \
        cs_teardown_state(c);                                                                                          \
        ERR_clear_error();                                                                                             \
        return CS_BAD_KEY;                                                                                             \
    }                                                                                                                  \
                                                                                                                       \
    static int encaps_##BITS##_call(cs_case *c)                                                                        \
    {                                                                                                                  \
        MLKEM##BITS##_encap(c->out, c->out + MLKEM##BITS##_CIPHERTEXT_BYTES, c->state);                                \
        c->out_len = MLKEM##BITS##_CIPHERTEXT_BYTES + MLKEM_SHARED_SECRET_BYTES;                                       \
        return CS_OK;                                                                                                  \
    }

ENCAPS(768)
ENCAPS(1024)

/* ---- rows ---- */

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
     .teardown = cs_teardown_state,                                                                                    \
     .seed = random_seed}
#define P1363_ROWS(ALGORITHM, HASH, NID)                                                                               \
    P1363_ROW(ALGORITHM, HASH, sign, .param = &(const int){NID}, .seed = random_seed),                                 \
        P1363_ROW(ALGORITHM, HASH, verify, .param = &(const int){NID})

static const cs_op rows[] = {
    P1363_ROWS("ecdsa-p256-sha256", "SHA256", NID_X9_62_prime256v1),
    P1363_ROWS("ecdsa-p384-sha384", "SHA384", NID_secp384r1),
    P1363_ROWS("ecdsa-p521-sha512", "SHA512", NID_secp521r1),
    ENCAPS_ROW(768),
    ENCAPS_ROW(1024),
};
static const cs_table own = CS_TABLE(rows);

static const cs_library library = {
    .abi = CS_ABI,
    .id = "boringssl",
    .version = own_version,
    .version_from = "header",
    .cpu_path = boringssl_cpu_path,
    .tables = CS_TABLES(&own, SHARED_TABLES),
};

CS_WORKER_MAIN(library)
