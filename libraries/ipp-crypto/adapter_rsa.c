/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: RSA signatures and encryption. What is drawn (salt, seed, padding) the caller draws.
 *
 * Entry points: ippsRSASign_PKCS1v15_rmf, ippsRSAVerify_PKCS1v15_rmf, ippsRSASign_PSS_rmf, ippsRSAVerify_PSS_rmf,
 * ippsRSAEncrypt_OAEP_rmf, ippsRSADecrypt_OAEP_rmf, ippsRSAEncrypt_PKCSv15, ippsRSADecrypt_PKCSv15.
 */
#include "adapter.h"

enum { SALT = 32, PADDING = 3, NO_ZERO = 64 };

/* `pub` is there beside `key` where the library is to check what it signed. */
struct rsa {
    struct contexts all;
    const IppsHashMethod *hash;
    IppsRSAPublicKeyState *pub;
    IppsRSAPrivateKeyState *key;
    Ipp8u *scratch;
    size_t bytes; /* of the modulus */
};

static int make_public(struct rsa *s, const cs_rsa_key *of, int *size)
{
    const IppsBigNumState *n = number_of(&s->all, of->n), *e = number_of(&s->all, of->e);

    if (n == NULL || e == NULL || (s->pub = public_key_of(&s->all, n, e)) == NULL)
        return CS_ERROR;
    return from_ipp("ippsRSA_GetBufferSizePublicKey", ippsRSA_GetBufferSizePublicKey(size, s->pub));
}

static int make_private(struct rsa *s, const cs_rsa_key *of, int *size)
{
    if ((s->key = crt_key_of(&s->all, of->part)) == NULL)
        return CS_ERROR;
    return from_ipp("ippsRSA_GetBufferSizePrivateKey", ippsRSA_GetBufferSizePrivateKey(size, s->key));
}

static int set_up(cs_case *c, int public_key, int private_key)
{
    cs_rsa_key numbers;
    struct rsa *s;
    int for_public = 0, for_private = 0, status = CS_OK;

    if (cs_rsa_numbers(c, &numbers) != CS_OK || (s = cs_new_state(c, sizeof *s)) == NULL)
        return CS_ERROR;
    s->hash = ippsHashMethod_SHA256_TT();
    s->bytes = numbers.n.len;
    if (public_key)
        status = make_public(s, &numbers, &for_public);
    if (private_key && status == CS_OK)
        status = make_private(s, &numbers, &for_private);
    if (status == CS_OK)
        s->scratch = new_context(&s->all, for_public > for_private ? for_public : for_private);
    return status == CS_OK && s->scratch != NULL ? CS_OK : give_up(c, CS_ERROR);
}

static int setup_rsa_public(cs_case *c)
{
    return set_up(c, 1, 0);
}

static int setup_rsa_private(cs_case *c)
{
    return set_up(c, 0, 1);
}

static int setup_rsa_checked(cs_case *c)
{
    return set_up(c, 1, 1);
}

/* ---- signatures ---- */

static int call_pkcs1_sign(cs_case *c)
{
    struct rsa *s = c->state;

    c->out_len = s->bytes;
    return from_ipp("ippsRSASign_PKCS1v15_rmf", ippsRSASign_PKCS1v15_rmf(c->msg.data, (int)c->msg.len, c->out, s->key,
                                                                         s->pub, s->hash, s->scratch));
}

/* The functions take no length of a signature. */
static int call_pkcs1_verify(cs_case *c)
{
    struct rsa *s = c->state;
    int valid = 0, status;

    if (c->sig.len != s->bytes)
        return CS_REJECTED;
    status =
        from_ipp("ippsRSAVerify_PKCS1v15_rmf", ippsRSAVerify_PKCS1v15_rmf(c->msg.data, (int)c->msg.len, c->sig.data,
                                                                          &valid, s->pub, s->hash, s->scratch));
    return status != CS_OK ? status : valid ? CS_OK : CS_REJECTED;
}

static int call_pss_sign(cs_case *c)
{
    struct rsa *s = c->state;
    Ipp32u salt[SALT / sizeof(Ipp32u)];
    IppStatus status = random_bits(salt, 8 * SALT, random_context);

    c->out_len = s->bytes;
    if (status >= ippStsNoErr)
        status = ippsRSASign_PSS_rmf(c->msg.data, (int)c->msg.len, (const Ipp8u *)salt, SALT, c->out, s->key, s->pub,
                                     s->hash, s->scratch);
    return from_ipp("ippsRSASign_PSS_rmf", status);
}

static int call_pss_verify(cs_case *c)
{
    struct rsa *s = c->state;
    int valid = 0, status;

    if (c->sig.len != s->bytes)
        return CS_REJECTED;
    status = from_ipp("ippsRSAVerify_PSS_rmf", ippsRSAVerify_PSS_rmf(c->msg.data, (int)c->msg.len, c->sig.data, &valid,
                                                                     s->pub, s->hash, s->scratch));
    return status != CS_OK ? status : valid ? CS_OK : CS_REJECTED;
}

/* ---- encryption ---- */

static int call_oaep_encrypt(cs_case *c)
{
    struct rsa *s = c->state;
    Ipp32u drawn[SALT / sizeof(Ipp32u)];
    IppStatus status = random_bits(drawn, 8 * SALT, random_context);

    c->out_len = s->bytes;
    if (status >= ippStsNoErr)
        status = ippsRSAEncrypt_OAEP_rmf(c->msg.data, (int)c->msg.len, NULL, 0, (const Ipp8u *)drawn, c->out, s->pub,
                                         s->hash, s->scratch);
    return from_ipp("ippsRSAEncrypt_OAEP_rmf", status);
}

/* Padding of PKCS#1 v1.5: bytes that are not zero. */
static IppStatus draw_padding(uint8_t *out, size_t len)
{
    Ipp32u words[NO_ZERO / sizeof(Ipp32u)];
    const uint8_t *drawn = (const uint8_t *)words;
    size_t used = 0;

    while (used < len) {
        const IppStatus status = random_bits(words, 8 * NO_ZERO, random_context);

        if (status < ippStsNoErr)
            return status;
        for (size_t i = 0; i < NO_ZERO && used < len; i++)
            if (drawn[i] != 0)
                out[used++] = drawn[i];
    }
    return ippStsNoErr;
}

static int call_pkcs1_encrypt(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t padding[CS_RSA_MODULUS_MAX];
    IppStatus status = ippStsSizeErr;

    c->out_len = s->bytes;
    if (c->msg.len + PADDING <= s->bytes)
        status = draw_padding(padding, s->bytes - PADDING - c->msg.len);
    if (status >= ippStsNoErr)
        status = ippsRSAEncrypt_PKCSv15(c->msg.data, (int)c->msg.len, padding, c->out, s->pub, s->scratch);
    return from_ipp("ippsRSAEncrypt_PKCSv15", status);
}

/* What a ciphertext is refused with; anything else is no fault of the input. */
static int decrypted(cs_case *c, const char *what, IppStatus status, int len)
{
    c->out_len = status == ippStsNoErr ? (size_t)len : 0;
    if (status == ippStsOutOfRangeErr || status == ippStsUnderRunErr || status == ippStsPaddingErr)
        return CS_REJECTED;
    return from_ipp(what, status);
}

/* Both functions take no length of the ciphertext, and none of the room, which is that of the modulus. */
static int call_oaep_decrypt(cs_case *c)
{
    struct rsa *s = c->state;
    int len = 0;
    IppStatus status = ippStsOutOfRangeErr;

    if (c->msg.len == s->bytes)
        status = ippsRSADecrypt_OAEP_rmf(c->msg.data, NULL, 0, c->out, &len, s->key, s->hash, s->scratch);
    return decrypted(c, "ippsRSADecrypt_OAEP_rmf", status, len);
}

static int call_pkcs1_decrypt(cs_case *c)
{
    struct rsa *s = c->state;
    int len = 0;
    IppStatus status = ippStsOutOfRangeErr;

    if (c->msg.len == s->bytes)
        status = ippsRSADecrypt_PKCSv15(c->msg.data, c->out, &len, s->key, s->scratch);
    return decrypted(c, "ippsRSADecrypt_PKCSv15", status, len);
}

/* ---- rows ---- */

/* clang-format off */
#define RSA_ROW(ID, IMPL, NAME, SETUP, CALL)                                                                           \
    {.id = ID, .impl = IMPL, .name = NAME, .setup = SETUP, .call = CALL, .rekey = cs_setup_again, .teardown = teardown, .seed = seed, .counts_random = 1}
#define RSA_ROWS(BITS)                                                                                                 \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "default", "ippsRSASign_PKCS1v15_rmf", setup_rsa_private, call_pkcs1_sign), \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "checked", "ippsRSASign_PKCS1v15_rmf with the public key", setup_rsa_checked, call_pkcs1_sign), \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/verify", "default", "ippsRSAVerify_PKCS1v15_rmf", setup_rsa_public, call_pkcs1_verify), \
    RSA_ROW("rsa-" BITS "-pss-sha256/sign", "default", "ippsRSASign_PSS_rmf", setup_rsa_private, call_pss_sign),       \
    RSA_ROW("rsa-" BITS "-pss-sha256/sign", "checked", "ippsRSASign_PSS_rmf with the public key", setup_rsa_checked, call_pss_sign), \
    RSA_ROW("rsa-" BITS "-pss-sha256/verify", "default", "ippsRSAVerify_PSS_rmf", setup_rsa_public, call_pss_verify),  \
    RSA_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", "default", "ippsRSAEncrypt_OAEP_rmf", setup_rsa_public, call_oaep_encrypt), \
    RSA_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", "default", "ippsRSADecrypt_OAEP_rmf", setup_rsa_private, call_oaep_decrypt)

static const cs_op rows[] = {
    RSA_ROWS("2048"),
    RSA_ROWS("3072"),
    RSA_ROWS("4096"),
    RSA_ROW("rsa-2048-pkcs1/public-encrypt", "default", "ippsRSAEncrypt_PKCSv15", setup_rsa_public, call_pkcs1_encrypt),
    RSA_ROW("rsa-2048-pkcs1/private-decrypt", "default", "ippsRSADecrypt_PKCSv15", setup_rsa_private, call_pkcs1_decrypt),
};
/* clang-format on */

const cs_table ipp_rsa = CS_TABLE(rows);
