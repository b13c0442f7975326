/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle with Hogweed: RSA signatures and encryption. With the private key the functions called ..._tr are taken, which
 * blind and check their result: those that the manual advises.
 *
 * Entry points: rsa_sha256_sign_digest_tr, rsa_pss_sha256_sign_digest_tr and their verify functions, rsa_encrypt,
 * rsa_decrypt_tr, rsa_oaep_sha256_encrypt, rsa_oaep_sha256_decrypt.
 */
#include <nettle/bignum.h>
#include <nettle/rsa.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

#include "adapter.h"

/* OAEP came with Nettle 3.10. */
#define HAS_OAEP (NETTLE_VERSION_MAJOR > 3 || NETTLE_VERSION_MINOR >= 10)

enum { SALT = 32 };

struct rsa {
    struct rsa_public_key pub;
    struct rsa_private_key key;
    mpz_t number; /* a signature or a ciphertext */
};

static void rsa_teardown(cs_case *c)
{
    struct rsa *s = c->state;

    mpz_clear(s->number);
    rsa_private_key_clear(&s->key);
    rsa_public_key_clear(&s->pub);
    cs_teardown_state(c);
}

static void take(mpz_t number, cs_span from)
{
    nettle_mpz_set_str_256_u(number, from.len, from.data);
}

/* Nettle calls dP, dQ and qInv of RFC 8017 a, b and c. */
static int rsa_setup(cs_case *c)
{
    cs_rsa_key numbers;
    struct rsa *s;
    int done;

    if (cs_rsa_numbers(c, &numbers) != CS_OK)
        return CS_ERROR;
    s = cs_new_state(c, sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    rsa_public_key_init(&s->pub);
    rsa_private_key_init(&s->key);
    mpz_init(s->number);
    take(s->pub.n, numbers.n);
    take(s->pub.e, numbers.e);
    done = rsa_public_key_prepare(&s->pub);
    if (numbers.d.data != NULL) {
        take(s->key.d, numbers.d);
        take(s->key.p, numbers.part[CS_CRT_P]);
        take(s->key.q, numbers.part[CS_CRT_Q]);
        take(s->key.a, numbers.part[CS_CRT_DP]);
        take(s->key.b, numbers.part[CS_CRT_DQ]);
        take(s->key.c, numbers.part[CS_CRT_QINV]);
        done = done && rsa_private_key_prepare(&s->key);
    }
    if (done)
        return CS_OK;
    rsa_teardown(c);
    return cs_fail("rsa_*_key_prepare refuses the key");
}

static void digest(cs_span msg, uint8_t hash[SHA256_DIGEST_SIZE])
{
    struct sha256_ctx ctx;

    sha256_init(&ctx);
    sha256_update(&ctx, msg.len, msg.data);
    sha256_digest(&ctx, SHA256_DIGEST_SIZE, hash);
}

static int put(cs_case *c, const char *problem, int done)
{
    struct rsa *s = c->state;

    if (!done)
        return cs_fail(problem);
    c->out_len = s->pub.size;
    nettle_mpz_get_str_256(c->out_len, c->out, s->number);
    return CS_OK;
}

static int rsa_pkcs1_sign_call(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t hash[SHA256_DIGEST_SIZE];

    digest(c->msg, hash);
    return put(c, "rsa_sha256_sign_digest_tr",
               rsa_sha256_sign_digest_tr(&s->pub, &s->key, &random_state, draw_random, hash, s->number));
}

static int rsa_pss_sign_call(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t hash[SHA256_DIGEST_SIZE], salt[SALT];

    digest(c->msg, hash);
    draw_random(&random_state, sizeof salt, salt);
    return put(c, "rsa_pss_sha256_sign_digest_tr",
               rsa_pss_sha256_sign_digest_tr(&s->pub, &s->key, &random_state, draw_random, sizeof salt, salt, hash,
                                             s->number));
}

/* A signature is a number in this interface: its length is looked at here, which only one value allows. */
static int rsa_pkcs1_verify_call(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t hash[SHA256_DIGEST_SIZE];

    if (c->sig.len != s->pub.size)
        return CS_REJECTED;
    digest(c->msg, hash);
    take(s->number, c->sig);
    return rsa_sha256_verify_digest(&s->pub, hash, s->number) ? CS_OK : CS_REJECTED;
}

static int rsa_pss_verify_call(cs_case *c)
{
    struct rsa *s = c->state;
    uint8_t hash[SHA256_DIGEST_SIZE];

    if (c->sig.len != s->pub.size)
        return CS_REJECTED;
    digest(c->msg, hash);
    take(s->number, c->sig);
    return rsa_pss_sha256_verify_digest(&s->pub, SALT, hash, s->number) ? CS_OK : CS_REJECTED;
}

static int rsa_pkcs1_encrypt_call(cs_case *c)
{
    struct rsa *s = c->state;

    return put(c, "rsa_encrypt", rsa_encrypt(&s->pub, &random_state, draw_random, c->msg.len, c->msg.data, s->number));
}

/* A ciphertext is a number too. */
static int rsa_pkcs1_decrypt_call(cs_case *c)
{
    struct rsa *s = c->state;

    c->out_len = 0;
    if (c->msg.len != s->pub.size)
        return CS_REJECTED;
    take(s->number, c->msg);
    c->out_len = c->out_cap;
    if (rsa_decrypt_tr(&s->pub, &s->key, &random_state, draw_random, &c->out_len, c->out, s->number))
        return CS_OK;
    c->out_len = 0;
    return CS_REJECTED;
}

#if HAS_OAEP
static int rsa_oaep_encrypt_call(cs_case *c)
{
    struct rsa *s = c->state;

    c->out_len = s->pub.size;
    return rsa_oaep_sha256_encrypt(&s->pub, &random_state, draw_random, 0, NULL, c->msg.len, c->msg.data, c->out)
               ? CS_OK
               : cs_fail("rsa_oaep_sha256_encrypt");
}

/* The interface takes as many bytes as the modulus has, and no length: it is looked at here. */
static int rsa_oaep_decrypt_call(cs_case *c)
{
    struct rsa *s = c->state;

    c->out_len = 0;
    if (c->msg.len != s->pub.size)
        return CS_REJECTED;
    c->out_len = c->out_cap;
    if (rsa_oaep_sha256_decrypt(&s->pub, &s->key, &random_state, draw_random, 0, NULL, &c->out_len, c->out,
                                c->msg.data))
        return CS_OK;
    c->out_len = 0;
    return CS_REJECTED;
}
#endif

#define RSA_ROW(ID, NAME, CALL, ...)                                                                                   \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = rsa_setup,                                                                                               \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = rsa_teardown,                                                                                         \
     __VA_ARGS__}
#define RSA_DRAWING .seed = seed_random, .counts_random = 1
#define RSA_SIGNATURES_OF(BITS)                                                                                        \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "rsa_sha256_sign_digest_tr", rsa_pkcs1_sign_call, RSA_DRAWING),          \
        RSA_ROW("rsa-" BITS "-pkcs1-sha256/verify", "rsa_sha256_verify_digest", rsa_pkcs1_verify_call, .seeded = 0),   \
        RSA_ROW("rsa-" BITS "-pss-sha256/sign", "rsa_pss_sha256_sign_digest_tr", rsa_pss_sign_call, RSA_DRAWING),      \
        RSA_ROW("rsa-" BITS "-pss-sha256/verify", "rsa_pss_sha256_verify_digest", rsa_pss_verify_call, .seeded = 0)
#define RSA_OAEP_OF(BITS)                                                                                              \
    RSA_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", "rsa_oaep_sha256_encrypt", rsa_oaep_encrypt_call, RSA_DRAWING), \
        RSA_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", "rsa_oaep_sha256_decrypt", rsa_oaep_decrypt_call,          \
                RSA_DRAWING)

static const cs_op rows[] = {
    RSA_SIGNATURES_OF("2048"),
    RSA_SIGNATURES_OF("3072"),
    RSA_SIGNATURES_OF("4096"),
    RSA_ROW("rsa-2048-pkcs1/public-encrypt", "rsa_encrypt", rsa_pkcs1_encrypt_call, RSA_DRAWING),
    RSA_ROW("rsa-2048-pkcs1/private-decrypt", "rsa_decrypt_tr", rsa_pkcs1_decrypt_call, RSA_DRAWING),
#if HAS_OAEP
    RSA_OAEP_OF("2048"),
    RSA_OAEP_OF("3072"),
    RSA_OAEP_OF("4096"),
#endif
};
const cs_table nettle_rsa = CS_TABLE(rows);
