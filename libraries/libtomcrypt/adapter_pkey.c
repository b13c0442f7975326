/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: signatures.
 *
 * Entry points: ecc_import, ecc_ansi_x963_import, ecc_sign_hash, ecc_verify_hash, and both with _rfc7518.
 */
#include "adapter.h"

struct ecdsa {
    ecc_key key;
    hash_state hash;
};

/* The row's `param` is the hash that goes with the curve. */
static unsigned long bytes_of(const cs_case *c)
{
    const struct ltc_hash_descriptor *hash = c->op->param;

    return hash->hashsize == 32 ? CS_P256_BYTES : hash->hashsize == 48 ? CS_P384_BYTES : CS_P521_BYTES;
}

static void ecdsa_teardown(cs_case *c)
{
    struct ecdsa *s = c->state;

    ecc_free(&s->key);
    cs_teardown_state(c);
}

/* The library's own encoding of a private key: flag, length, x, y and the scalar. */
static int encode_private(const cs_case *c, unsigned char *out, unsigned long *len)
{
    unsigned long key_size = bytes_of(c);
    const cs_span bytes[] = {
        {.data = c->pub.data + 1, .len = key_size}, {.data = c->pub.data + 1 + key_size, .len = key_size}, c->key};
    unsigned char is_private[] = {1};
    void *number[CS_COUNT(bytes)] = {NULL};
    int error = ltc_init_multi(&number[0], &number[1], &number[2], NULL);

    if (error != CRYPT_OK)
        return error;
    for (size_t i = 0; i < CS_COUNT(bytes) && error == CRYPT_OK; i++)
        error = ltc_mp.unsigned_read(number[i], (unsigned char *)bytes[i].data, bytes[i].len);
    if (error == CRYPT_OK)
        error = der_encode_sequence_multi(out, len, LTC_ASN1_BIT_STRING, 1UL, is_private, LTC_ASN1_SHORT_INTEGER, 1UL,
                                          &key_size, LTC_ASN1_INTEGER, 1UL, number[0], LTC_ASN1_INTEGER, 1UL, number[1],
                                          LTC_ASN1_INTEGER, 1UL, number[2], LTC_ASN1_EOL, 0UL, NULL);
    ltc_deinit_multi(number[0], number[1], number[2], NULL);
    return error;
}

static int ecdsa_sign_setup(cs_case *c)
{
    unsigned char encoded[4 * CS_P521_BYTES];
    unsigned long len = sizeof encoded;
    struct ecdsa *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    error = encode_private(c, encoded, &len);
    if (error == CRYPT_OK)
        error = ecc_import(encoded, len, &s->key);
    if (error != CRYPT_OK)
        cs_teardown_state(c);
    return from_ltc(error);
}

static int ecdsa_verify_setup(cs_case *c)
{
    struct ecdsa *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    error = ecc_ansi_x963_import(c->pub.data, c->pub.len, &s->key);
    if (error != CRYPT_OK)
        cs_teardown_state(c);
    return from_ltc(error);
}

static int digest(const cs_case *c, unsigned char out[MAXBLOCKSIZE])
{
    const struct ltc_hash_descriptor *hash = c->op->param;
    struct ecdsa *s = c->state;
    int error = hash->init(&s->hash);

    if (error == CRYPT_OK)
        error = hash->process(&s->hash, c->msg.data, c->msg.len);
    return error == CRYPT_OK ? hash->done(&s->hash, out) : error;
}

static unsigned long digest_len(const cs_case *c)
{
    return ((const struct ltc_hash_descriptor *)c->op->param)->hashsize;
}

typedef int sign_hash(const unsigned char *, unsigned long, unsigned char *, unsigned long *, prng_state *, int,
                      ecc_key *);
typedef int verify_hash(const unsigned char *, unsigned long, const unsigned char *, unsigned long, int *, ecc_key *);

static int sign(cs_case *c, sign_hash *sign_with)
{
    struct ecdsa *s = c->state;
    unsigned char hash[MAXBLOCKSIZE];
    unsigned long len = c->out_cap;
    int error = digest(c, hash);

    if (error == CRYPT_OK)
        error = sign_with(hash, digest_len(c), c->out, &len, &random_state, random_prng, &s->key);
    c->out_len = len;
    return from_ltc(error);
}

/* A signature that cannot be read is an error to the library; so is memory that is not there. */
static int verify(cs_case *c, verify_hash *verify_with)
{
    struct ecdsa *s = c->state;
    unsigned char hash[MAXBLOCKSIZE];
    int good = 0;
    int error = digest(c, hash);

    if (error != CRYPT_OK)
        return from_ltc(error);
    error = verify_with(c->sig.data, c->sig.len, hash, digest_len(c), &good, &s->key);
    if (error == CRYPT_MEM)
        return from_ltc(error);
    return error == CRYPT_OK && good ? CS_OK : CS_REJECTED;
}

static int ecdsa_sign_call(cs_case *c)
{
    return sign(c, ecc_sign_hash);
}

static int ecdsa_verify_call(cs_case *c)
{
    return verify(c, ecc_verify_hash);
}

static int ecdsa_sign_rfc7518_call(cs_case *c)
{
    return sign(c, ecc_sign_hash_rfc7518);
}

static int ecdsa_verify_rfc7518_call(cs_case *c)
{
    return verify(c, ecc_verify_hash_rfc7518);
}

/* ---- ECDH ---- */

struct ecdh {
    ecc_key key;
    ecc_key peer;
};

static void ecdh_teardown(cs_case *c)
{
    struct ecdh *s = c->state;

    ecc_free(&s->key);
    ecc_free(&s->peer);
    cs_teardown_state(c);
}

/* ecc_ansi_x963_import takes what is no point of the curve, ecc_import does not: the peer's point is also read as the
 * public part of the private key, which is not looked at afterwards. */
static int ecdh_setup(cs_case *c)
{
    unsigned char encoded[4 * CS_P521_BYTES];
    unsigned long len = sizeof encoded;
    struct ecdh *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    c->out_len = c->key.len;
    if (ecc_ansi_x963_import(c->pub.data, c->pub.len, &s->peer) != CRYPT_OK) {
        cs_teardown_state(c);
        return CS_BAD_KEY;
    }
    error = encode_private(c, encoded, &len);
    if (error == CRYPT_OK)
        error = ecc_import(encoded, len, &s->key);
    if (error == CRYPT_OK)
        return CS_OK;
    ecc_free(&s->peer);
    cs_teardown_state(c);
    return error == CRYPT_MEM ? from_ltc(error) : CS_BAD_KEY;
}

static int ecdh_call(cs_case *c)
{
    struct ecdh *s = c->state;
    unsigned long len = c->out_len;

    return from_ltc(ecc_shared_secret(&s->key, &s->peer, c->out, &len));
}

/* ---- agreement with an ephemeral key ---- */

static int agree_setup(cs_case *c)
{
    c->out_len = c->pub.len + bytes_of(c);
    return CS_OK;
}

/* The library's own encoding of a public key, which it checks: flag, length, x and y. */
static int read_peer(const cs_case *c, ecc_key *peer)
{
    unsigned long key_size = bytes_of(c);
    unsigned char encoded[4 * CS_P521_BYTES];
    unsigned long len = sizeof encoded;
    unsigned char is_public[] = {0};
    void *x = NULL, *y = NULL;
    int error = ltc_init_multi(&x, &y, NULL);

    if (error != CRYPT_OK)
        return error;
    error = ltc_mp.unsigned_read(x, (unsigned char *)c->pub.data + 1, key_size);
    if (error == CRYPT_OK)
        error = ltc_mp.unsigned_read(y, (unsigned char *)c->pub.data + 1 + key_size, key_size);
    if (error == CRYPT_OK)
        error = der_encode_sequence_multi(encoded, &len, LTC_ASN1_BIT_STRING, 1UL, is_public, LTC_ASN1_SHORT_INTEGER,
                                          1UL, &key_size, LTC_ASN1_INTEGER, 1UL, x, LTC_ASN1_INTEGER, 1UL, y,
                                          LTC_ASN1_EOL, 0UL, NULL);
    ltc_deinit_multi(x, y, NULL);
    return error == CRYPT_OK ? ecc_import(encoded, len, peer) : error;
}

static int agree_call(cs_case *c)
{
    unsigned long len = c->pub.len, secret_len = bytes_of(c);
    ecc_key own, peer;
    int error = ecc_make_key(&random_state, random_prng, (int)secret_len, &own), status;

    if (error != CRYPT_OK)
        return from_ltc(error);
    error = ecc_ansi_x963_export(&own, c->out, &len);
    if (error == CRYPT_OK && (error = read_peer(c, &peer)) == CRYPT_OK) {
        status = from_ltc(ecc_shared_secret(&own, &peer, c->out + c->pub.len, &secret_len));
        ecc_free(&peer);
    } else
        status = error == CRYPT_MEM ? from_ltc(error) : CS_BAD_KEY;
    ecc_free(&own);
    return status;
}

/* ---- rows ---- */

/* clang-format off */
#define ECDSA_ROWS(ALGORITHM, HASH)                                                                                    \
    {.id = ALGORITHM "/sign", .impl = "default", .name = "ecc_sign_hash", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(HASH), .form = "der", .seed = seed_random, .counts_random = 1}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = "ecc_verify_hash", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(HASH), .form = "der"}, \
    {.id = ALGORITHM "/sign", .impl = "rfc7518", .name = "ecc_sign_hash_rfc7518", .setup = ecdsa_sign_setup, .call = ecdsa_sign_rfc7518_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(HASH), .form = "p1363", .seed = seed_random, .counts_random = 1}, \
    {.id = ALGORITHM "/verify", .impl = "rfc7518", .name = "ecc_verify_hash_rfc7518", .setup = ecdsa_verify_setup, .call = ecdsa_verify_rfc7518_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(HASH), .form = "p1363"}
#define ECDH_ROW(ALGORITHM, HASH)                                                                                      \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "ecc_shared_secret", .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = &(HASH)}
#define AGREE_ROW(ALGORITHM, HASH)                                                                                     \
    {.id = ALGORITHM "/agree", .impl = "default", .name = "ecc_make_key, ecc_shared_secret", .setup = agree_setup, .call = agree_call, .rekey = cs_key_in_call, .param = &(HASH), .seed = seed_random, .counts_random = 1}

static const cs_op rows[] = {
    AGREE_ROW("p-256", sha256_desc),
    AGREE_ROW("p-384", sha384_desc),
    ECDH_ROW("p-256", sha256_desc),
    ECDH_ROW("p-384", sha384_desc),
    ECDH_ROW("p-521", sha512_desc),
    ECDSA_ROWS("ecdsa-p256-sha256", sha256_desc),
    ECDSA_ROWS("ecdsa-p384-sha384", sha384_desc),
    ECDSA_ROWS("ecdsa-p521-sha512", sha512_desc),
};
/* clang-format on */

const cs_table libtomcrypt_pkey = CS_TABLE(rows);
