/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: RSA signatures and encryption. Blinding of the private operation, salts and paddings are drawn from the
 * library's CTR_DRBG.
 *
 * Entry points: mbedtls_rsa_import_raw, mbedtls_rsa_complete, mbedtls_rsa_rsassa_*, mbedtls_rsa_rsaes_*, mbedtls_md.
 */
#include "adapter.h"

#include <mbedtls/md.h>
#include <mbedtls/rsa.h>

/* Up to 2.28, a parameter of the functions selects the public or the private key, and all take a generator. */
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
#define DRAWING cs_mbedtls_random, &cs_mbedtls_drbg
#define WITH_PRIVATE DRAWING
#define WITH_PUBLIC DRAWING
#define VERIFYING(rsa) rsa
#else
#define DRAWING cs_mbedtls_random, &cs_mbedtls_drbg
#define WITH_PRIVATE DRAWING, MBEDTLS_RSA_PRIVATE
#define WITH_PUBLIC DRAWING, MBEDTLS_RSA_PUBLIC
#define VERIFYING(rsa) rsa, NULL, NULL, MBEDTLS_RSA_PUBLIC
#endif

enum { DIGEST = 32, SALT = 32 };

struct rsa {
    mbedtls_rsa_context rsa;
    const mbedtls_md_info_t *md;
};

static void teardown_rsa(cs_case *c)
{
    struct rsa *s = c->state;

    mbedtls_rsa_free(&s->rsa);
    cs_free(s);
    c->state = NULL;
}

static int pad(mbedtls_rsa_context *rsa, int padding)
{
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
    mbedtls_rsa_init(rsa);
    return mbedtls_rsa_set_padding(rsa, padding, MBEDTLS_MD_SHA256);
#else
    mbedtls_rsa_init(rsa, padding, MBEDTLS_MD_SHA256);
    return 0;
#endif
}

/* The library computes dP, dQ and qInv itself: there is no way to give them. */
static int import(mbedtls_rsa_context *rsa, const cs_rsa_key *of)
{
    const cs_span *p = &of->part[CS_CRT_P], *q = &of->part[CS_CRT_Q];
    int ret = mbedtls_rsa_import_raw(rsa, of->n.data, of->n.len, p->data, p->len, q->data, q->len, of->d.data,
                                     of->d.len, of->e.data, of->e.len);

    return ret == 0 ? mbedtls_rsa_complete(rsa) : ret;
}

static int setup_rsa(cs_case *c)
{
    const int *padding = c->op->param;
    cs_rsa_key numbers;
    struct rsa *s;
    int ret;

    if (cs_rsa_numbers(c, &numbers) != CS_OK)
        return CS_ERROR;
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    s->md = mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);
    ret = pad(&s->rsa, *padding);
    if (ret == 0)
        ret = import(&s->rsa, &numbers);
    if (ret != 0)
        return give_up(c, "mbedtls_rsa_import_raw", ret);
    c->out_len = c->sig.data == NULL ? numbers.n.len : 0; /* verification has no output */
    return CS_OK;
}

static int hash(const struct rsa *s, cs_span msg, uint8_t digest[DIGEST])
{
    return mbedtls_md(s->md, msg.data, msg.len, digest);
}

static int call_rsa_pkcs1_sign(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t digest[DIGEST];
    int ret = hash(s, c->msg, digest);

    if (ret == 0)
        ret = mbedtls_rsa_rsassa_pkcs1_v15_sign(&s->rsa, WITH_PRIVATE, MBEDTLS_MD_SHA256, DIGEST, digest, c->out);
    return from_mbedtls(ret);
}

static int call_rsa_pss_sign(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t digest[DIGEST];
    int ret = hash(s, c->msg, digest);

    if (ret == 0)
        ret = mbedtls_rsa_rsassa_pss_sign_ext(&s->rsa, DRAWING, MBEDTLS_MD_SHA256, DIGEST, digest, SALT, c->out);
    return from_mbedtls(ret);
}

/* The interface takes as many bytes as the modulus has, and no length: it is checked here. */
static int call_rsa_pkcs1_verify(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t digest[DIGEST];

    if (c->sig.len != mbedtls_rsa_get_len(&s->rsa))
        return CS_REJECTED;
    if (hash(s, c->msg, digest) != 0)
        return CS_ERROR;
    return mbedtls_rsa_rsassa_pkcs1_v15_verify(VERIFYING(&s->rsa), MBEDTLS_MD_SHA256, DIGEST, digest, c->sig.data) == 0
               ? CS_OK
               : CS_REJECTED;
}

static int call_rsa_pss_verify(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t digest[DIGEST];

    if (c->sig.len != mbedtls_rsa_get_len(&s->rsa))
        return CS_REJECTED;
    if (hash(s, c->msg, digest) != 0)
        return CS_ERROR;
    return mbedtls_rsa_rsassa_pss_verify_ext(VERIFYING(&s->rsa), MBEDTLS_MD_SHA256, DIGEST, digest, MBEDTLS_MD_SHA256,
                                             SALT, c->sig.data) == 0
               ? CS_OK
               : CS_REJECTED;
}

static int call_rsa_oaep_encrypt(cs_case *c)
{
    struct rsa *s = c->state;

    return from_mbedtls(mbedtls_rsa_rsaes_oaep_encrypt(&s->rsa, WITH_PUBLIC, NULL, 0, c->msg.len, c->msg.data, c->out));
}

static int call_rsa_pkcs1_encrypt(cs_case *c)
{
    struct rsa *s = c->state;

    return from_mbedtls(mbedtls_rsa_rsaes_pkcs1_v15_encrypt(&s->rsa, WITH_PUBLIC, c->msg.len, c->msg.data, c->out));
}

static int call_rsa_oaep_decrypt(cs_case *c)
{
    struct rsa *s = c->state;

    c->out_len = 0;
    if (c->msg.len != mbedtls_rsa_get_len(&s->rsa))
        return CS_REJECTED;
    return mbedtls_rsa_rsaes_oaep_decrypt(&s->rsa, WITH_PRIVATE, NULL, 0, &c->out_len, c->msg.data, c->out,
                                          c->out_cap) == 0
               ? CS_OK
               : CS_REJECTED;
}

static int call_rsa_pkcs1_decrypt(cs_case *c)
{
    struct rsa *s = c->state;

    c->out_len = 0;
    if (c->msg.len != mbedtls_rsa_get_len(&s->rsa))
        return CS_REJECTED;
    return mbedtls_rsa_rsaes_pkcs1_v15_decrypt(&s->rsa, WITH_PRIVATE, &c->out_len, c->msg.data, c->out, c->out_cap) == 0
               ? CS_OK
               : CS_REJECTED;
}

/* `param` is the padding: MBEDTLS_RSA_PKCS_V15 or MBEDTLS_RSA_PKCS_V21. */
#define RSA_ROW(ID, NAME, CALL, PADDING)                                                                               \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = "mbedtls_rsa_" NAME,                                                                                      \
     .setup = setup_rsa,                                                                                               \
     .call = call_rsa_##CALL,                                                                                          \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = teardown_rsa,                                                                                         \
     .param = &(const int){MBEDTLS_RSA_PKCS_##PADDING},                                                                \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1}
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "rsassa_pkcs1_v15_sign", pkcs1_sign, V15),                               \
        RSA_ROW("rsa-" BITS "-pkcs1-sha256/verify", "rsassa_pkcs1_v15_verify", pkcs1_verify, V15),                     \
        RSA_ROW("rsa-" BITS "-pss-sha256/sign", "rsassa_pss_sign_ext", pss_sign, V21),                                 \
        RSA_ROW("rsa-" BITS "-pss-sha256/verify", "rsassa_pss_verify_ext", pss_verify, V21),                           \
        RSA_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", "rsaes_oaep_encrypt", oaep_encrypt, V21),                   \
        RSA_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", "rsaes_oaep_decrypt", oaep_decrypt, V21)

static const cs_op rows[] = {
    RSA_ROWS_OF("2048"),
    RSA_ROWS_OF("3072"),
    RSA_ROWS_OF("4096"),
    RSA_ROW("rsa-2048-pkcs1/public-encrypt", "rsaes_pkcs1_v15_encrypt", pkcs1_encrypt, V15),
    RSA_ROW("rsa-2048-pkcs1/private-decrypt", "rsaes_pkcs1_v15_decrypt", pkcs1_decrypt, V15),
};
const cs_table mbedtls_rsa = CS_TABLE(rows);
