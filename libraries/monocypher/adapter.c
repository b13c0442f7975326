/* SPDX-License-Identifier: Apache-2.0
 *
 * Monocypher 4: https://monocypher.org/
 *
 * One function for each operation, with keys as plain bytes and contexts for hashes only. Entry points: crypto_sha512*,
 * crypto_blake2b*, crypto_poly1305, crypto_chacha20_ietf, crypto_aead_*, crypto_x25519*, crypto_ed25519_*.
 */
#include <monocypher-ed25519.h>
#include <monocypher.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

enum { SHA512 = 64, BLAKE2B = 64, TAG = 16, KEY = 32, SIGNATURE = 64 };

/* The library does not say which version it is. */
static const char *library_version(void)
{
    return CS_PACKAGE_VERSION;
}

/* ---- hash ---- */

static int setup_sha512(cs_case *c)
{
    c->out_len = SHA512;
    c->state = cs_alloc(sizeof(crypto_sha512_ctx));
    return c->state == NULL ? CS_ERROR : CS_OK;
}

static int call_sha512(cs_case *c)
{
    crypto_sha512_init(c->state);
    crypto_sha512_update(c->state, c->msg.data, c->msg.len);
    crypto_sha512_final(c->state, c->out);
    return CS_OK;
}

static int setup_blake2b(cs_case *c)
{
    c->out_len = BLAKE2B;
    c->state = cs_alloc(sizeof(crypto_blake2b_ctx));
    return c->state == NULL ? CS_ERROR : CS_OK;
}

static int call_blake2b(cs_case *c)
{
    crypto_blake2b_init(c->state, BLAKE2B);
    crypto_blake2b_update(c->state, c->msg.data, c->msg.len);
    crypto_blake2b_final(c->state, c->out);
    return CS_OK;
}

static int setup_oneshot(cs_case *c)
{
    c->out_len = SHA512;
    return CS_OK;
}

_Static_assert(SHA512 == BLAKE2B, "digests of one length");

static int oneshot_sha512(cs_case *c)
{
    crypto_sha512(c->out, c->msg.data, c->msg.len);
    return CS_OK;
}

static int oneshot_blake2b(cs_case *c)
{
    crypto_blake2b(c->out, BLAKE2B, c->msg.data, c->msg.len);
    return CS_OK;
}

/* ---- mac, cipher ---- */

/* The context takes its key when it starts, and no function goes back to there. */
static int setup_hmac(cs_case *c)
{
    c->out_len = SHA512;
    c->state = cs_alloc(sizeof(crypto_sha512_hmac_ctx));
    return c->state == NULL ? CS_ERROR : CS_OK;
}

static int call_hmac(cs_case *c)
{
    crypto_sha512_hmac_init(c->state, c->key.data, c->key.len);
    crypto_sha512_hmac_update(c->state, c->msg.data, c->msg.len);
    crypto_sha512_hmac_final(c->state, c->out);
    return CS_OK;
}

static int oneshot_hmac(cs_case *c)
{
    crypto_sha512_hmac(c->out, c->key.data, c->key.len, c->msg.data, c->msg.len);
    return CS_OK;
}

static int setup_poly1305(cs_case *c)
{
    c->out_len = TAG;
    return CS_OK;
}

static int call_poly1305(cs_case *c)
{
    crypto_poly1305(c->out, c->msg.data, c->msg.len, c->key.data);
    return CS_OK;
}

static int call_chacha20(cs_case *c)
{
    (void)crypto_chacha20_ietf(c->out, c->msg.data, c->msg.len, c->key.data, c->iv.data, 0);
    return CS_OK;
}

/* ---- aead: the first message of a stream is that of RFC 8439 ---- */

static int setup_seal(cs_case *c)
{
    c->out_len = c->msg.len + TAG;
    return CS_OK;
}

static int call_seal(cs_case *c)
{
    crypto_aead_ctx stream;

    crypto_aead_init_ietf(&stream, c->key.data, c->iv.data);
    crypto_aead_write(&stream, c->out, c->out + c->msg.len, c->aad.data, c->aad.len, c->msg.data, c->msg.len);
    return CS_OK;
}

static int call_open(cs_case *c)
{
    crypto_aead_ctx stream;

    crypto_aead_init_ietf(&stream, c->key.data, c->iv.data);
    return crypto_aead_read(&stream, c->out, c->tag.data, c->aad.data, c->aad.len, c->msg.data, c->msg.len) == 0
               ? CS_OK
               : CS_REJECTED;
}

/* ---- aead of one message, with a long nonce ---- */

static int call_lock(cs_case *c)
{
    crypto_aead_lock(c->out, c->out + c->msg.len, c->key.data, c->iv.data, c->aad.data, c->aad.len, c->msg.data,
                     c->msg.len);
    return CS_OK;
}

static int call_unlock(cs_case *c)
{
    return crypto_aead_unlock(c->out, c->tag.data, c->key.data, c->iv.data, c->aad.data, c->aad.len, c->msg.data,
                              c->msg.len) == 0
               ? CS_OK
               : CS_REJECTED;
}

/* ---- Curve25519 ---- */

static int setup_x25519(cs_case *c)
{
    c->out_len = KEY;
    return CS_OK;
}

static int call_x25519(cs_case *c)
{
    crypto_x25519(c->out, c->key.data, c->pub.data);
    return CS_OK;
}

static int call_x25519_base(cs_case *c)
{
    crypto_x25519_public_key(c->out, c->key.data);
    return CS_OK;
}

struct signer {
    uint8_t secret[2 * KEY]; /* seed, then public key */
};

static int setup_sign(cs_case *c)
{
    uint8_t seed[KEY], pub[KEY];
    struct signer *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    c->out_len = SIGNATURE;
    memcpy(seed, c->key.data, KEY); /* is wiped */
    crypto_ed25519_key_pair(s->secret, pub, seed);
    return CS_OK;
}

static int call_sign(cs_case *c)
{
    const struct signer *s = c->state;

    crypto_ed25519_sign(c->out, s->secret, c->msg.data, c->msg.len);
    return CS_OK;
}

/* crypto_ed25519_check reads 64 bytes whatever it is given, hence the length check. */
static int call_verify(cs_case *c)
{
    if (c->sig.len != SIGNATURE)
        return CS_REJECTED;
    return crypto_ed25519_check(c->sig.data, c->pub.data, c->msg.data, c->msg.len) == 0 ? CS_OK : CS_REJECTED;
}

/* ---- key generation: the library leaves randomness to the caller, and the manual sends callers to the system ---- */

static int setup_keygen(cs_case *c)
{
    const cs_span seed = cs_input(c, "seed");

    c->out_len = (size_t)2 * KEY;
    return seed.data == NULL || seed.len >= KEY ? CS_OK : cs_fail("the seed has too few bytes");
}

static int draw_anew(uint8_t out[KEY])
{
    if (getentropy(out, KEY) != 0)
        return cs_fail("getentropy");
    if (cs_counts_random())
        cs_random_drawn(KEY);
    return CS_OK;
}

static int draw(const cs_case *c, uint8_t out[KEY])
{
    if (c->n_inputs == 0)
        return draw_anew(out);
    memcpy(out, c->inputs[0].span.data, KEY);
    return CS_OK;
}

static int call_x25519_keygen(cs_case *c)
{
    if (draw(c, c->out) != CS_OK)
        return CS_ERROR;
    crypto_x25519_public_key(c->out + KEY, c->out);
    return CS_OK;
}

/* The library's secret key is the seed with the public key behind it, which is how the pair is encoded here. */
static int call_ed25519_keygen(cs_case *c)
{
    uint8_t seed[KEY], pub[KEY];

    if (draw(c, seed) != CS_OK)
        return CS_ERROR;
    crypto_ed25519_key_pair(c->out, pub, seed);
    return CS_OK;
}

/* ---- agreement with an ephemeral key ---- */

static int setup_agree(cs_case *c)
{
    c->out_len = (size_t)2 * KEY;
    return CS_OK;
}

static int call_agree(cs_case *c)
{
    uint8_t key[KEY];

    if (draw_anew(key) != CS_OK)
        return CS_ERROR;
    crypto_x25519_public_key(c->out, key);
    crypto_x25519(c->out + KEY, key, c->pub.data);
    crypto_wipe(key, sizeof key);
    return CS_OK;
}

/* ---- table ---- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "sha-512/hash", .impl = "default", .name = "crypto_sha512_init, _update, _final", .setup = setup_sha512, .call = call_sha512, .teardown = cs_teardown_state},
    {.id = "sha-512/hash", .impl = "oneshot", .name = "crypto_sha512", .setup = setup_oneshot, .call = oneshot_sha512},
    {.id = "blake2b-512/hash", .impl = "default", .name = "crypto_blake2b_init, _update, _final", .setup = setup_blake2b, .call = call_blake2b, .teardown = cs_teardown_state},
    {.id = "blake2b-512/hash", .impl = "oneshot", .name = "crypto_blake2b", .setup = setup_oneshot, .call = oneshot_blake2b},
    {.id = "hmac-sha-512/mac", .impl = "default", .name = "crypto_sha512_hmac_init, _update, _final", .setup = setup_hmac, .call = call_hmac, .rekey = cs_key_in_call, .teardown = cs_teardown_state},
    {.id = "hmac-sha-512/mac", .impl = "oneshot", .name = "crypto_sha512_hmac", .setup = setup_oneshot, .call = oneshot_hmac, .rekey = cs_key_in_call},
    {.id = "poly1305/mac", .impl = "default", .name = "crypto_poly1305", .setup = setup_poly1305, .call = call_poly1305, .rekey = cs_key_in_call},
    {.id = "chacha20/encrypt", .impl = "default", .name = "crypto_chacha20_ietf", .setup = cs_setup_msg_length, .call = call_chacha20, .rekey = cs_key_in_call},
    {.id = "chacha20-poly1305/seal", .impl = "default", .name = "crypto_aead_init_ietf, crypto_aead_write", .setup = setup_seal, .call = call_seal, .rekey = cs_key_in_call},
    {.id = "chacha20-poly1305/open", .impl = "default", .name = "crypto_aead_init_ietf, crypto_aead_read", .setup = cs_setup_msg_length, .call = call_open, .rekey = cs_key_in_call},
    {.id = "xchacha20-poly1305/seal", .impl = "default", .name = "crypto_aead_lock", .setup = setup_seal, .call = call_lock, .rekey = cs_key_in_call},
    {.id = "xchacha20-poly1305/open", .impl = "default", .name = "crypto_aead_unlock", .setup = cs_setup_msg_length, .call = call_unlock, .rekey = cs_key_in_call},
    {.id = "x25519/derive", .impl = "default", .name = "crypto_x25519", .setup = setup_x25519, .call = call_x25519, .rekey = cs_key_in_call},
    {.id = "x25519/multiply-base", .impl = "default", .name = "crypto_x25519_public_key", .setup = setup_x25519, .call = call_x25519_base},
    {.id = "ed25519/sign", .impl = "default", .name = "crypto_ed25519_sign", .setup = setup_sign, .call = call_sign, .rekey = cs_setup_again, .teardown = cs_teardown_state},
    {.id = "ed25519/verify", .impl = "default", .name = "crypto_ed25519_check", .call = call_verify, .rekey = cs_key_in_call},
    {.id = "x25519/keygen", .impl = "default", .name = "crypto_x25519_public_key", .setup = setup_keygen, .call = call_x25519_keygen, .counts_random = 1, .seeded = 1},
    {.id = "x25519/agree", .impl = "default", .name = "crypto_x25519_public_key, crypto_x25519", .setup = setup_agree, .call = call_agree, .rekey = cs_key_in_call, .counts_random = 1},
    {.id = "ed25519/keygen", .impl = "default", .name = "crypto_ed25519_key_pair", .setup = setup_keygen, .call = call_ed25519_keygen, .counts_random = 1, .seeded = 1},
};
/* clang-format on */
static const cs_table most = CS_TABLE(rows);
extern const cs_table monocypher_kdf;

static const cs_library library = {
    .abi = CS_ABI,
    .id = "monocypher",
    .version = library_version,
    .version_from = "package",
    .cpu_path = NULL,
    .open = NULL,
    .tables = CS_TABLES(&most, &monocypher_kdf),
};

CS_WORKER_MAIN(library)
