/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium: key generation and ML-KEM. Each kind of key has a function that draws and one that takes a seed.
 */
#include "adapter.h"

#include <sodium.h>
#include <string.h>

enum { SEED = 32, KEY = 32 };

_Static_assert(crypto_box_SEEDBYTES == SEED && crypto_sign_SEEDBYTES == SEED, "one length of seeds");
_Static_assert(crypto_box_PUBLICKEYBYTES == KEY && crypto_sign_PUBLICKEYBYTES == KEY, "one length of keys");

/* The generator that libsodium has by default, with a count before it. */
static randombytes_implementation counted;

static void counted_buf(void *const out, const size_t len)
{
    cs_random_drawn(len);
    randombytes_sysrandom_implementation.buf(out, len);
}

void count_drawn(void)
{
    if (!cs_counts_random())
        return;
    counted = randombytes_sysrandom_implementation;
    counted.buf = counted_buf;
    (void)randombytes_set_implementation(&counted);
}

/* The functions with a seed take as many bytes as they need from its beginning. */
static int setup_keygen(cs_case *c)
{
    const cs_span seed = cs_input(c, "seed");

    c->out_len = 2 * KEY;
    return seed.data == NULL || seed.len >= SEED ? CS_OK : cs_fail("the seed has too few bytes");
}

/* The private key is what is drawn; of a seed it is the first half of the SHA-512. */
static int call_x25519_keygen(cs_case *c)
{
    const uint8_t *seed = c->n_inputs == 0 ? NULL : c->inputs[0].span.data;
    const int failed =
        seed == NULL ? crypto_box_keypair(c->out + KEY, c->out) : crypto_box_seed_keypair(c->out + KEY, c->out, seed);

    return failed ? CS_ERROR : CS_OK;
}

static int setup_base(cs_case *c)
{
    c->out_len = crypto_scalarmult_BYTES;
    return CS_OK;
}

static int call_base(cs_case *c)
{
    return crypto_scalarmult_base(c->out, c->key.data) == 0 ? CS_OK : cs_fail("crypto_scalarmult_base");
}

/* libsodium's secret key is the seed with the public key behind it, which is how the pair is encoded here. */
static int call_ed25519_keygen(cs_case *c)
{
    const uint8_t *seed = c->n_inputs == 0 ? NULL : c->inputs[0].span.data;
    uint8_t pub[KEY];
    const int failed = seed == NULL ? crypto_sign_keypair(pub, c->out) : crypto_sign_seed_keypair(pub, c->out, seed);

    return failed || memcmp(pub, c->out + KEY, KEY) != 0 ? CS_ERROR : CS_OK;
}

/* ---- agreement with an ephemeral key ---- */

static int setup_agree(cs_case *c)
{
    c->out_len = KEY + crypto_scalarmult_BYTES;
    return CS_OK;
}

/* libsodium refuses points of small order, and nothing else. */
static int call_agree(cs_case *c)
{
    uint8_t key[KEY];
    int status;

    if (crypto_box_keypair(c->out, key) != 0)
        return CS_ERROR;
    status = crypto_scalarmult(c->out + KEY, key, c->pub.data) == 0 ? CS_OK : CS_BAD_KEY;
    sodium_memzero(key, sizeof key);
    return status;
}

/* ---- ML-KEM, of 1.0.22 and later ---- */

#ifdef crypto_kem_mlkem768_SEEDBYTES

enum {
    KEM_PUBLIC = crypto_kem_mlkem768_PUBLICKEYBYTES,
    KEM_PRIVATE = crypto_kem_mlkem768_SECRETKEYBYTES,
    KEM_CIPHERTEXT = crypto_kem_mlkem768_CIPHERTEXTBYTES,
    KEM_SECRET = crypto_kem_mlkem768_SHAREDSECRETBYTES
};

static int setup_kem_keygen(cs_case *c)
{
    c->out_len = KEM_PRIVATE + KEM_PUBLIC;
    return CS_OK;
}

static int call_kem_keygen(cs_case *c)
{
    const uint8_t *seed = c->n_inputs == 0 ? NULL : c->inputs[0].span.data;
    uint8_t *pub = c->out + KEM_PRIVATE;
    const int failed =
        seed == NULL ? crypto_kem_mlkem768_keypair(pub, c->out) : crypto_kem_mlkem768_seed_keypair(pub, c->out, seed);

    return failed ? CS_ERROR : CS_OK;
}

/* `state` is the seed: an encapsulation has a public key beside it. */
static int setup_encaps(cs_case *c)
{
    c->state = (void *)(uintptr_t)cs_input(c, "seed").data;
    c->out_len = KEM_CIPHERTEXT + KEM_SECRET;
    return CS_OK;
}

/* It fails for a public key with a coefficient that is not reduced, and for nothing else. */
static int call_encaps(cs_case *c)
{
    const uint8_t *seed = c->state;
    uint8_t *secret = c->out + KEM_CIPHERTEXT;
    const int refused = seed == NULL ? crypto_kem_mlkem768_enc(c->out, secret, c->pub.data)
                                     : crypto_kem_mlkem768_enc_deterministic(c->out, secret, c->pub.data, seed);

    return refused ? CS_BAD_KEY : CS_OK;
}

static int setup_decaps(cs_case *c)
{
    c->out_len = KEM_SECRET;
    return CS_OK;
}

/* The function reads as many bytes as a ciphertext has, whatever it is given. */
static int call_decaps(cs_case *c)
{
    if (c->msg.len != KEM_CIPHERTEXT)
        return CS_REJECTED;
    return crypto_kem_mlkem768_dec(c->out, c->msg.data, c->key.data) == 0 ? CS_OK : CS_ERROR;
}

#endif

static const cs_op rows[] = {
    {.id = "x25519/agree",
     .impl = "default",
     .name = "crypto_box_keypair, crypto_scalarmult",
     .setup = setup_agree,
     .call = call_agree,
     .rekey = cs_key_in_call,
     .counts_random = 1},
    {.id = "x25519/multiply-base",
     .impl = "default",
     .name = "crypto_scalarmult_base",
     .setup = setup_base,
     .call = call_base},
    {.id = "x25519/keygen",
     .impl = "default",
     .name = "crypto_box_keypair",
     .setup = setup_keygen,
     .call = call_x25519_keygen,
     .counts_random = 1,
     .seeded = 1},
    {.id = "ed25519/keygen",
     .impl = "default",
     .name = "crypto_sign_keypair",
     .setup = setup_keygen,
     .call = call_ed25519_keygen,
     .counts_random = 1,
     .seeded = 1},
#ifdef crypto_kem_mlkem768_SEEDBYTES
    {.id = "ml-kem-768/keygen",
     .impl = "default",
     .name = "crypto_kem_mlkem768_keypair",
     .setup = setup_kem_keygen,
     .call = call_kem_keygen,
     .counts_random = 1,
     .seeded = 1},
    {.id = "ml-kem-768/encaps",
     .impl = "default",
     .name = "crypto_kem_mlkem768_enc",
     .setup = setup_encaps,
     .call = call_encaps,
     .rekey = cs_key_in_call,
     .counts_random = 1,
     .seeded = 1},
    {.id = "ml-kem-768/decaps",
     .impl = "default",
     .name = "crypto_kem_mlkem768_dec",
     .setup = setup_decaps,
     .call = call_decaps,
     .rekey = cs_key_in_call},
#endif
};
const cs_table libsodium_keys = CS_TABLE(rows);
