/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL, https://boringssl.googlesource.com/boringssl: ML-KEM, and ECDSA signatures of fixed length.
 */
#include <openssl/bytestring.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/mlkem.h>
#include <openssl/sha.h>

#include "adapter_own.h"

#define TEXT(NUMBER) #NUMBER
#define EXPANDED(NUMBER) TEXT(NUMBER)

const char *own_version(void)
{
    return EXPANDED(BORINGSSL_API_VERSION);
}

/* ---- ECDSA, IEEE P1363 ---- */

int ecdsa_sign_p1363_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[SHA512_DIGEST_LENGTH];
    const size_t hash_len = ecdsa_digest(c, hash);

    return ECDSA_sign_p1363(hash, hash_len, c->out, &c->out_len, c->out_cap, s->ec) == 1
               ? CS_OK
               : session_fail("ECDSA_sign_p1363");
}

int ecdsa_verify_p1363_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[SHA512_DIGEST_LENGTH];
    const size_t hash_len = ecdsa_digest(c, hash);

    return ECDSA_verify_p1363(hash, hash_len, c->sig.data, c->sig.len, s->ec) == 1
               ? CS_OK
               : session_reject("ECDSA_verify_p1363");
}

/* ---- ML-KEM ---- */

void encaps_teardown(cs_case *c)
{
    cs_free(c->state);
    c->state = NULL;
}

/* The parser finds numbers that are not reduced. */
#define ENCAPS(BITS)                                                                                                   \
    int encaps_##BITS##_setup(cs_case *c)                                                                              \
    {                                                                                                                  \
        CBS in;                                                                                                        \
                                                                                                                       \
        c->state = cs_alloc(sizeof(struct MLKEM##BITS##_public_key));                                                  \
        if (c->state == NULL)                                                                                          \
            return CS_ERROR;                                                                                           \
        CBS_init(&in, c->pub.data, c->pub.len);                                                                        \
        if (MLKEM##BITS##_parse_public_key(c->state, &in) == 1)                                                        \
            return CS_OK;                                                                                              \
        encaps_teardown(c);                                                                                            \
        ERR_clear_error();                                                                                             \
        return CS_BAD_KEY;                                                                                             \
    }                                                                                                                  \
                                                                                                                       \
    int encaps_##BITS##_call(cs_case *c)                                                                               \
    {                                                                                                                  \
        MLKEM##BITS##_encap(c->out, c->out + MLKEM##BITS##_CIPHERTEXT_BYTES, c->state);                                \
        c->out_len = MLKEM##BITS##_CIPHERTEXT_BYTES + MLKEM_SHARED_SECRET_BYTES;                                       \
        return CS_OK;                                                                                                  \
    }

ENCAPS(768)
ENCAPS(1024)
