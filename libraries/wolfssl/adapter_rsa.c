/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: RSA signatures and encryption. The functions for PKCS#1 v1.5 signatures pad what they are given: the
 * DigestInfo is made, and compared, here, by the library's own function, as its wc_Signature* do.
 *
 * Entry points: wc_RsaSSL_Sign, wc_RsaSSL_Verify, wc_RsaPSS_Sign_ex, wc_RsaPSS_VerifyCheck, wc_RsaPublicEncrypt[_ex],
 * wc_RsaPrivateDecrypt[_ex], wc_EncodeSignature, wc_Sha256Hash.
 */
#include "adapter.h"

#include <string.h>

#include <wolfssl/wolfcrypt/asn.h>
#include <wolfssl/wolfcrypt/rsa.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/signature.h>

enum { SALT = 32, ENCODED = MAX_DER_DIGEST_SZ };

struct rsa {
    RsaKey key;
    word32 size; /* bytes of the modulus */
};

static void rsa_key_teardown(cs_case *c)
{
    struct rsa *s = c->state;

    (void)wc_FreeRsaKey(&s->key);
    cs_teardown_state(c);
}

static int take(RsaKey *key, const cs_rsa_key *of)
{
    mp_int *const number[] = {&key->n, &key->e, &key->d, &key->p, &key->q, &key->dP, &key->dQ, &key->u};
    const cs_span span[] = {of->n,
                            of->e,
                            of->d,
                            of->part[CS_CRT_P],
                            of->part[CS_CRT_Q],
                            of->part[CS_CRT_DP],
                            of->part[CS_CRT_DQ],
                            of->part[CS_CRT_QINV]};
    int error = 0;

    key->type = of->d.data != NULL ? RSA_PRIVATE : RSA_PUBLIC;
    for (size_t i = 0; i < CS_COUNT(span) && span[i].data != NULL && error == 0; i++)
        error = mp_read_unsigned_bin(number[i], span[i].data, (word32)span[i].len);
    return error;
}

static int rsa_key_setup(cs_case *c)
{
    cs_rsa_key numbers;
    struct rsa *s;
    int error;

    if (cs_rsa_numbers(c, &numbers) != CS_OK)
        return CS_ERROR;
    s = cs_new_state(c, sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    s->size = (word32)numbers.n.len;
    error = wc_InitRsaKey(&s->key, NULL);
    if (error == 0)
        error = take(&s->key, &numbers);
#ifdef WC_RSA_BLINDING
    if (error == 0)
        error = wc_RsaSetRNG(&s->key, &random_state);
#endif
    if (error != 0)
        rsa_key_teardown(c);
    return from_wc(error);
}

/* What a function that gives a length says of its input: anything but a lack of memory is the input's fault. */
static int refused(int answer)
{
    return answer == MEMORY_E ? from_wc(answer) : CS_REJECTED;
}

static int whole(cs_case *c, int answer)
{
    const struct rsa *s = c->state;

    c->out_len = s->size;
    return answer == (int)s->size ? CS_OK : cs_fail(wc_GetErrorString(answer));
}

static word32 encode(cs_span msg, uint8_t encoded[ENCODED])
{
    uint8_t hash[WC_SHA256_DIGEST_SIZE];

    return wc_Sha256Hash(msg.data, (word32)msg.len, hash) == 0 ? wc_EncodeSignature(encoded, hash, sizeof hash, SHA256h)
                                                               : 0;
}

static int rsa_pkcs1_sign_call(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t encoded[ENCODED];
    word32 len = encode(c->msg, encoded);

    return whole(c, wc_RsaSSL_Sign(encoded, len, c->out, s->size, &s->key, &random_state));
}

static int rsa_pkcs1_verify_call(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t encoded[ENCODED], found[CS_RSA_MODULUS_MAX];
    word32 len = encode(c->msg, encoded);
    int answer = wc_RsaSSL_Verify(c->sig.data, (word32)c->sig.len, found, sizeof found, &s->key);

    if (answer < 0)
        return refused(answer);
    return (word32)answer == len && memcmp(found, encoded, len) == 0 ? CS_OK : CS_REJECTED;
}

static int rsa_pss_sign_call(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t hash[WC_SHA256_DIGEST_SIZE];
    int error = wc_Sha256Hash(c->msg.data, (word32)c->msg.len, hash);

    return error != 0 ? from_wc(error)
                      : whole(c, wc_RsaPSS_Sign_ex(hash, sizeof hash, c->out, s->size, WC_HASH_TYPE_SHA256,
                                                   WC_MGF1SHA256, SALT, &s->key, &random_state));
}

static int rsa_pss_verify_call(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t hash[WC_SHA256_DIGEST_SIZE], found[CS_RSA_MODULUS_MAX];
    int answer = wc_Sha256Hash(c->msg.data, (word32)c->msg.len, hash);

    if (answer != 0)
        return from_wc(answer);
    answer = wc_RsaPSS_VerifyCheck((byte *)c->sig.data, (word32)c->sig.len, found, sizeof found, hash, sizeof hash,
                                   WC_HASH_TYPE_SHA256, WC_MGF1SHA256, &s->key);
    return answer < 0 ? refused(answer) : CS_OK;
}

static int rsa_oaep_encrypt_call(cs_case *c)
{
    struct rsa *s = c->state;

    return whole(c, wc_RsaPublicEncrypt_ex(c->msg.data, (word32)c->msg.len, c->out, s->size, &s->key, &random_state,
                                           WC_RSA_OAEP_PAD, WC_HASH_TYPE_SHA256, WC_MGF1SHA256, NULL, 0));
}

static int rsa_pkcs1_encrypt_call(cs_case *c)
{
    struct rsa *s = c->state;

    return whole(c, wc_RsaPublicEncrypt(c->msg.data, (word32)c->msg.len, c->out, s->size, &s->key, &random_state));
}

static int decrypted(cs_case *c, int answer)
{
    c->out_len = answer < 0 ? 0 : (size_t)answer;
    return answer < 0 ? refused(answer) : CS_OK;
}

static int rsa_oaep_decrypt_call(cs_case *c)
{
    struct rsa *s = c->state;

    return decrypted(c, wc_RsaPrivateDecrypt_ex(c->msg.data, (word32)c->msg.len, c->out, (word32)c->out_cap, &s->key,
                                                WC_RSA_OAEP_PAD, WC_HASH_TYPE_SHA256, WC_MGF1SHA256, NULL, 0));
}

static int rsa_pkcs1_decrypt_call(cs_case *c)
{
    struct rsa *s = c->state;

    return decrypted(c, wc_RsaPrivateDecrypt(c->msg.data, (word32)c->msg.len, c->out, (word32)c->out_cap, &s->key));
}

/* clang-format off */
#define RSA_ROW(ID, NAME, CALL)                                                                                        \
    {.id = ID, .impl = "default", .name = NAME, .setup = rsa_key_setup, .call = CALL, .rekey = cs_setup_again, .teardown = rsa_key_teardown, .seed = seed_random, .counts_random = 1}
#define RSA_ROWS(BITS)                                                                                                 \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "wc_RsaSSL_Sign", rsa_pkcs1_sign_call),                                  \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/verify", "wc_RsaSSL_Verify", rsa_pkcs1_verify_call),                            \
    RSA_ROW("rsa-" BITS "-pss-sha256/sign", "wc_RsaPSS_Sign_ex", rsa_pss_sign_call),                                   \
    RSA_ROW("rsa-" BITS "-pss-sha256/verify", "wc_RsaPSS_VerifyCheck", rsa_pss_verify_call),                           \
    RSA_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", "wc_RsaPublicEncrypt_ex", rsa_oaep_encrypt_call),               \
    RSA_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", "wc_RsaPrivateDecrypt_ex", rsa_oaep_decrypt_call)

static const cs_op rows[] = {
    RSA_ROWS("2048"),
    RSA_ROWS("3072"),
    RSA_ROWS("4096"),
    RSA_ROW("rsa-2048-pkcs1/public-encrypt", "wc_RsaPublicEncrypt", rsa_pkcs1_encrypt_call),
    RSA_ROW("rsa-2048-pkcs1/private-decrypt", "wc_RsaPrivateDecrypt", rsa_pkcs1_decrypt_call),
};
/* clang-format on */

const cs_table wolfssl_rsa = CS_TABLE(rows);
