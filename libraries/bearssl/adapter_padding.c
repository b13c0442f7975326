/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: RSA signatures and encryption with paddings. A verification gives the hash that was signed, which
 * the caller compares. Keys are pointers to their numbers.
 */
#include "adapter.h"

#include <string.h>

enum { DIGEST = br_sha256_SIZE };

/* The functions of an implementation, or those that give them. */
struct padding_lane {
    br_rsa_pkcs1_sign sign;
    br_rsa_pkcs1_vrfy vrfy;
    br_rsa_oaep_encrypt encrypt;
    br_rsa_oaep_decrypt decrypt;
    br_rsa_pkcs1_sign (*get_sign)(void);
    br_rsa_pkcs1_vrfy (*get_vrfy)(void);
    br_rsa_oaep_encrypt (*get_encrypt)(void);
    br_rsa_oaep_decrypt (*get_decrypt)(void);
    const char *missing;
};

static const struct padding_lane bear_padding_default = {
    .get_sign = br_rsa_pkcs1_sign_get_default,
    .get_vrfy = br_rsa_pkcs1_vrfy_get_default,
    .get_encrypt = br_rsa_oaep_encrypt_get_default,
    .get_decrypt = br_rsa_oaep_decrypt_get_default,
    .missing = "a br_rsa_*_get_default returns NULL",
};
static const struct padding_lane bear_padding_i15 = {.sign = br_rsa_i15_pkcs1_sign,
                                                     .vrfy = br_rsa_i15_pkcs1_vrfy,
                                                     .encrypt = br_rsa_i15_oaep_encrypt,
                                                     .decrypt = br_rsa_i15_oaep_decrypt};
static const struct padding_lane bear_padding_i31 = {.sign = br_rsa_i31_pkcs1_sign,
                                                     .vrfy = br_rsa_i31_pkcs1_vrfy,
                                                     .encrypt = br_rsa_i31_oaep_encrypt,
                                                     .decrypt = br_rsa_i31_oaep_decrypt};
static const struct padding_lane bear_padding_i32 = {.sign = br_rsa_i32_pkcs1_sign,
                                                     .vrfy = br_rsa_i32_pkcs1_vrfy,
                                                     .encrypt = br_rsa_i32_oaep_encrypt,
                                                     .decrypt = br_rsa_i32_oaep_decrypt};
static const struct padding_lane bear_padding_i62 = {
    .get_sign = br_rsa_i62_pkcs1_sign_get,
    .get_vrfy = br_rsa_i62_pkcs1_vrfy_get,
    .get_encrypt = br_rsa_i62_oaep_encrypt_get,
    .get_decrypt = br_rsa_i62_oaep_decrypt_get,
    .missing = "a br_rsa_i62_*_get returns NULL: no 64x64 bit multiplication",
};

struct padding_state {
    br_rsa_pkcs1_sign sign;
    br_rsa_pkcs1_vrfy vrfy;
    br_rsa_oaep_encrypt encrypt;
    br_rsa_oaep_decrypt decrypt;
    br_rsa_public_key pub;
    br_rsa_private_key key;
    const br_prng_class **random;
};

static void choose(const struct padding_lane *lane, struct padding_state *s)
{
    s->sign = lane->get_sign != NULL ? lane->get_sign() : lane->sign;
    s->vrfy = lane->get_vrfy != NULL ? lane->get_vrfy() : lane->vrfy;
    s->encrypt = lane->get_encrypt != NULL ? lane->get_encrypt() : lane->encrypt;
    s->decrypt = lane->get_decrypt != NULL ? lane->get_decrypt() : lane->decrypt;
}

static const char *bear_padding_unavailable(const cs_op *op)
{
    const struct padding_lane *lane = op->param;
    struct padding_state s;

    choose(lane, &s);
    return s.sign != 0 && s.vrfy != 0 && s.encrypt != 0 && s.decrypt != 0 ? NULL : lane->missing;
}

/* The library's key structs hold pointers to bytes that it only reads. */
static unsigned char *readable(cs_span bytes)
{
    return (unsigned char *)bytes.data;
}

static int bear_padding_setup(cs_case *c)
{
    struct padding_state *s = cs_alloc(sizeof *s);
    cs_rsa_key of;

    if (s == NULL) {
        return CS_ERROR;
    }
    if (cs_rsa_numbers(c, &of) != CS_OK) {
        cs_free(s);
        return CS_ERROR;
    }
    choose(c->op->param, s);
    s->random = bear_generator();
    s->pub = (br_rsa_public_key){readable(of.n), of.n.len, readable(of.e), of.e.len};
    s->key.n_bitlen = 8 * (uint32_t)of.n.len;
    s->key.p = readable(of.part[CS_CRT_P]);
    s->key.q = readable(of.part[CS_CRT_Q]);
    s->key.dp = readable(of.part[CS_CRT_DP]);
    s->key.dq = readable(of.part[CS_CRT_DQ]);
    s->key.iq = readable(of.part[CS_CRT_QINV]);
    s->key.plen = s->key.qlen = s->key.dplen = s->key.dqlen = s->key.iqlen = of.part[CS_CRT_P].len;
    c->state = s;
    c->out_len = c->sig.data == NULL ? of.n.len : 0; /* nothing comes of verification */
    return CS_OK;
}

static void digest(cs_span msg, uint8_t hash[DIGEST])
{
    br_sha256_context ctx;

    br_sha256_init(&ctx);
    br_sha256_update(&ctx, msg.data, msg.len);
    br_sha256_out(&ctx, hash);
}

static int bear_pkcs1_sign(cs_case *c)
{
    const struct padding_state *s = c->state;
    uint8_t hash[DIGEST];

    digest(c->msg, hash);
    return s->sign(BR_HASH_OID_SHA256, hash, sizeof hash, &s->key, c->out) == 1 ? CS_OK
                                                                                : cs_fail("br_rsa_pkcs1_sign fails");
}

static int bear_pkcs1_verify(cs_case *c)
{
    const struct padding_state *s = c->state;
    uint8_t hash[DIGEST], found[DIGEST];

    digest(c->msg, hash);
    return s->vrfy(c->sig.data, c->sig.len, BR_HASH_OID_SHA256, sizeof found, &s->pub, found) == 1 &&
                   memcmp(hash, found, sizeof hash) == 0
               ? CS_OK
               : CS_REJECTED;
}

static int bear_oaep_encrypt(cs_case *c)
{
    const struct padding_state *s = c->state;

    return s->encrypt(s->random, &br_sha256_vtable, NULL, 0, &s->pub, c->out, c->out_cap, c->msg.data, c->msg.len) ==
                   c->out_len
               ? CS_OK
               : cs_fail("br_rsa_oaep_encrypt fails");
}

/* Works in place: the ciphertext is copied first. */
static int bear_oaep_decrypt(cs_case *c)
{
    const struct padding_state *s = c->state;
    size_t len = c->msg.len;

    c->out_len = 0;
    if (len > c->out_cap) {
        return CS_REJECTED;
    }
    memcpy(c->out, c->msg.data, len);
    if (s->decrypt(&br_sha256_vtable, NULL, 0, &s->key, c->out, &len) != 1) {
        return CS_REJECTED;
    }
    c->out_len = len;
    return CS_OK;
}

/* -- rows -- */

/* clang-format off */
#define PADDING_ROW(ID, IMPL, NAME, CALL, LANE, SEED, COUNTS)                                                          \
    {.id = ID, .impl = IMPL, .name = NAME, .setup = bear_padding_setup, .call = CALL, .rekey = cs_setup_again, .teardown = cs_teardown_state, .param = &bear_padding_##LANE, .unavailable = bear_padding_unavailable, .seed = SEED, .counts_random = COUNTS}
#define PADDING_LANE(BITS, IMPL, PREFIX, LANE)                                                                         \
    PADDING_ROW("rsa-" BITS "-pkcs1-sha256/sign", IMPL, PREFIX "_pkcs1_sign", bear_pkcs1_sign, LANE, NULL, 0),         \
    PADDING_ROW("rsa-" BITS "-pkcs1-sha256/verify", IMPL, PREFIX "_pkcs1_vrfy", bear_pkcs1_verify, LANE, NULL, 0),     \
    PADDING_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", IMPL, PREFIX "_oaep_encrypt", bear_oaep_encrypt, LANE, bear_seed, 1), \
    PADDING_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", IMPL, PREFIX "_oaep_decrypt", bear_oaep_decrypt, LANE, NULL, 0)

static const cs_op rows[] = {
    PADDING_LANE("2048", "default", "br_rsa", default),
    PADDING_LANE("2048", "i15", "br_rsa_i15", i15),
    PADDING_LANE("2048", "i31", "br_rsa_i31", i31),
    PADDING_LANE("2048", "i32", "br_rsa_i32", i32),
    PADDING_LANE("2048", "i62", "br_rsa_i62", i62),
    /* A private operation of 4096 bits by small words takes a tenth of a second: larger moduli by the others alone. */
    PADDING_LANE("3072", "default", "br_rsa", default),
    PADDING_LANE("3072", "i31", "br_rsa_i31", i31),
    PADDING_LANE("3072", "i62", "br_rsa_i62", i62),
    PADDING_LANE("4096", "default", "br_rsa", default),
    PADDING_LANE("4096", "i31", "br_rsa_i31", i31),
    PADDING_LANE("4096", "i62", "br_rsa_i62", i62),
};
/* clang-format on */

const cs_table bearssl_padding = CS_TABLE(rows);
