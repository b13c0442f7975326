/* SPDX-License-Identifier: Apache-2.0
 *
 * libsecp256k1: https://github.com/bitcoin-core/secp256k1
 *
 * One context for the process, made and randomised once. Entry points: secp256k1_ecdsa_sign, secp256k1_ecdsa_verify,
 * secp256k1_ecdsa_signature_*, secp256k1_ec_pubkey_*, secp256k1_ec_seckey_verify, secp256k1_ecdh.
 */
#include <secp256k1.h>
#include <secp256k1_ecdh.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "adapter_sha256.h"
#include "cipherstone.h"
#include "cipherstone_encoding.h"

enum { SEED = 32, COMPACT = 64 };

/* The library does not say which version it is. */
static const char *library_version(void)
{
    return CS_PACKAGE_VERSION;
}

/* ---- the context: what secrets are multiplied with is blinded by it ---- */

static secp256k1_context *context;

static const char *open_context(void)
{
    context = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    return context != NULL ? NULL : "secp256k1_context_create";
}

static const char *seed_context(void)
{
    uint8_t seed[SEED];

    if (getentropy(seed, sizeof seed) != 0)
        return "getentropy";
    return secp256k1_context_randomize(context, seed) ? NULL : "secp256k1_context_randomize";
}

/* ---- ECDSA ---- */

static void digest(cs_span msg, uint8_t out[SHA256_DIGEST])
{
    struct sha256 hash;

    sha256_begin(&hash);
    sha256_take(&hash, msg.data, msg.len);
    sha256_end(&hash, out);
}

static int setup_sign(cs_case *c)
{
    c->out_len = COMPACT;
    return secp256k1_ec_seckey_verify(context, c->key.data) ? CS_OK : CS_BAD_KEY;
}

/* NULL stands for the library's own nonce function: RFC 6979 with key and hash. */
static int sign(const cs_case *c, secp256k1_ecdsa_signature *signature)
{
    uint8_t hash[SHA256_DIGEST];

    digest(c->msg, hash);
    return secp256k1_ecdsa_sign(context, signature, hash, c->key.data, NULL, NULL);
}

static int call_sign(cs_case *c)
{
    secp256k1_ecdsa_signature signature;

    if (!sign(c, &signature))
        return cs_fail("secp256k1_ecdsa_sign");
    return secp256k1_ecdsa_signature_serialize_compact(context, c->out, &signature) ? CS_OK : CS_ERROR;
}

static int call_sign_der(cs_case *c)
{
    secp256k1_ecdsa_signature signature;

    c->out_len = c->out_cap;
    if (!sign(c, &signature))
        return cs_fail("secp256k1_ecdsa_sign");
    return secp256k1_ecdsa_signature_serialize_der(context, c->out, &c->out_len, &signature)
               ? CS_OK
               : cs_fail("secp256k1_ecdsa_signature_serialize_der");
}

static int setup_verify(cs_case *c)
{
    secp256k1_pubkey *pub = cs_alloc(sizeof *pub);

    if (pub == NULL)
        return CS_ERROR;
    c->state = pub;
    if (secp256k1_ec_pubkey_parse(secp256k1_context_static, pub, c->pub.data, c->pub.len))
        return CS_OK;
    cs_free(pub);
    c->state = NULL;
    return CS_BAD_KEY;
}

/* Verification accepts only the smaller s, as Bitcoin does. SEC 1's rule accepts both: for this, the header says, a
 * program normalises first. */
static int verify(const cs_case *c, secp256k1_ecdsa_signature *signature)
{
    uint8_t hash[SHA256_DIGEST];

    digest(c->msg, hash);
    (void)secp256k1_ecdsa_signature_normalize(secp256k1_context_static, signature, signature);
    return secp256k1_ecdsa_verify(secp256k1_context_static, signature, hash, c->state) ? CS_OK : CS_REJECTED;
}

/* The parser reads 64 bytes whatever it is given, hence the length check. */
static int call_verify(cs_case *c)
{
    secp256k1_ecdsa_signature signature;

    if (c->sig.len != COMPACT ||
        !secp256k1_ecdsa_signature_parse_compact(secp256k1_context_static, &signature, c->sig.data))
        return CS_REJECTED;
    return verify(c, &signature);
}

static int call_verify_der(cs_case *c)
{
    secp256k1_ecdsa_signature signature;

    if (!secp256k1_ecdsa_signature_parse_der(secp256k1_context_static, &signature, c->sig.data, c->sig.len))
        return CS_REJECTED;
    return verify(c, &signature);
}

/* ---- ECDH ---- */

/* The library hashes the shared point with the function that it is given: this one hands out x. */
static int keep_x(unsigned char *output, const unsigned char *x32, const unsigned char *y32, void *data)
{
    (void)y32;
    (void)data;
    memcpy(output, x32, CS_P256_BYTES);
    return 1;
}

static int setup_derive(cs_case *c)
{
    c->out_len = CS_P256_BYTES;
    return setup_verify(c);
}

/* The library refuses only an invalid scalar. */
static int call_derive(cs_case *c)
{
    return secp256k1_ecdh(context, c->out, c->state, c->key.data, keep_x, NULL) ? CS_OK : cs_fail("secp256k1_ecdh");
}

/* ---- multiples of the generator ---- */

static int setup_base(cs_case *c)
{
    c->out_len = CS_P256_POINT;
    return secp256k1_ec_seckey_verify(context, c->key.data) ? CS_OK : CS_BAD_KEY;
}

static int call_base(cs_case *c)
{
    secp256k1_pubkey pub;
    size_t len = CS_P256_POINT;

    if (!secp256k1_ec_pubkey_create(context, &pub, c->key.data))
        return cs_fail("secp256k1_ec_pubkey_create");
    return secp256k1_ec_pubkey_serialize(context, c->out, &len, &pub, SECP256K1_EC_UNCOMPRESSED) ? CS_OK : CS_ERROR;
}

/* ---- key generation: the library leaves randomness to the caller, and the header sends callers to the system ---- */

struct keygen {
    cs_span seed;
};

static int setup_keygen(cs_case *c)
{
    struct keygen *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->seed = cs_input(c, "seed");
    c->state = s;
    c->out_len = CS_P256_BYTES + CS_P256_POINT;
    return CS_OK;
}

static int draw(cs_stream *stream, uint8_t out[CS_P256_BYTES])
{
    if (stream->left.data != NULL)
        return cs_draw(stream, out, CS_P256_BYTES);
    if (getentropy(out, CS_P256_BYTES) != 0)
        return cs_fail("getentropy");
    if (cs_counts_random())
        cs_random_drawn(CS_P256_BYTES);
    return CS_OK;
}

static int call_keygen(cs_case *c)
{
    const struct keygen *s = c->state;
    cs_stream stream = {.left = s->seed};
    secp256k1_pubkey pub;
    size_t len = CS_P256_POINT;

    do
        if (draw(&stream, c->out) != CS_OK)
            return CS_ERROR;
    while (!secp256k1_ec_seckey_verify(context, c->out));
    if (!secp256k1_ec_pubkey_create(context, &pub, c->out))
        return cs_fail("secp256k1_ec_pubkey_create");
    return secp256k1_ec_pubkey_serialize(context, c->out + CS_P256_BYTES, &len, &pub, SECP256K1_EC_UNCOMPRESSED)
               ? CS_OK
               : CS_ERROR;
}

/* ---- table ---- */

#define ECDSA "ecdsa-secp256k1-sha256"

/* clang-format off */
static const cs_op ops[] = {
    {.id = ECDSA "/sign", .impl = "default", .name = "secp256k1_ecdsa_sign", .setup = setup_sign, .call = call_sign, .rekey = cs_key_in_call, .form = "p1363", .open = open_context, .seed = seed_context},
    {.id = ECDSA "/sign", .impl = "der", .name = "secp256k1_ecdsa_sign, _serialize_der", .setup = setup_sign, .call = call_sign_der, .rekey = cs_key_in_call, .form = "der", .open = open_context, .seed = seed_context},
    {.id = ECDSA "/verify", .impl = "default", .name = "secp256k1_ecdsa_signature_normalize, secp256k1_ecdsa_verify", .setup = setup_verify, .call = call_verify, .rekey = cs_setup_again, .teardown = cs_teardown_state, .form = "p1363"},
    {.id = ECDSA "/verify", .impl = "der", .name = "_parse_der, secp256k1_ecdsa_signature_normalize, secp256k1_ecdsa_verify", .setup = setup_verify, .call = call_verify_der, .rekey = cs_setup_again, .teardown = cs_teardown_state, .form = "der"},
    {.id = "secp256k1/derive", .impl = "default", .name = "secp256k1_ecdh", .setup = setup_derive, .call = call_derive, .rekey = cs_setup_again, .teardown = cs_teardown_state, .open = open_context, .seed = seed_context},
    {.id = "secp256k1/multiply-base", .impl = "default", .name = "secp256k1_ec_pubkey_create", .setup = setup_base, .call = call_base, .open = open_context, .seed = seed_context},
    {.id = "secp256k1/keygen", .impl = "default", .name = "secp256k1_ec_pubkey_create", .setup = setup_keygen, .call = call_keygen, .teardown = cs_teardown_state, .open = open_context, .seed = seed_context, .counts_random = 1, .seeded = 1},
};
/* clang-format on */

static const cs_library library = {
    .abi = CS_ABI,
    .id = "libsecp256k1",
    .version = library_version,
    .version_from = "package",
    .cpu_path = NULL,
    .open = NULL,
    .tables = CS_ROWS(ops),
};

CS_WORKER_MAIN(library)
