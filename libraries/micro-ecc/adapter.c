/* SPDX-License-Identifier: Apache-2.0
 *
 * micro-ecc: https://github.com/kmackay/micro-ecc
 *
 * Keys are bytes without a first one that says what they are. Entry points: uECC_sign, uECC_sign_deterministic,
 * uECC_verify, uECC_valid_public_key, uECC_make_key, uECC_compute_public_key.
 */
#include <uECC.h>
#if !defined(__unix__) && !defined(__APPLE__)
#include <sys/random.h>
#endif

#include "adapter_sha256.h"
#include "cipherstone.h"
#include "cipherstone_encoding.h"

enum { SIGNATURE = 2 * CS_P256_BYTES, POINT_MARK = 1 };

/* The library does not say which version it is. */
static const char *library_version(void)
{
    return CS_PACKAGE_VERSION;
}

struct curve {
    uECC_Curve (*get)(void);
};

static const struct curve p256 = {uECC_secp256r1}, secp256k1 = {uECC_secp256k1};

/* ---- randomness: the library's own function, which reads the system's device; on a machine without one it has none,
 * and a program brings its own ---- */

static uECC_RNG_Function own_generator;

#if defined(__unix__) || defined(__APPLE__)
#define brought NULL
#else
static int brought(uint8_t *dest, unsigned size)
{
    return getentropy(dest, size) == 0;
}
#endif

static int counted(uint8_t *dest, unsigned size)
{
    cs_random_drawn(size);
    return own_generator(dest, size);
}

static int open_library(void)
{
    own_generator = uECC_get_rng();
    if (own_generator == NULL) {
        own_generator = brought;
        uECC_set_rng(brought);
    }
    if (own_generator == NULL)
        return cs_fail("micro-ecc knows no source of randomness on this system");
    if (cs_counts_random())
        uECC_set_rng(counted);
    return CS_OK;
}

/* ---- ECDSA ---- */

/* The row's `param`. */
static uECC_Curve curve_of(const cs_case *c)
{
    const struct curve *of = c->op->param;

    return of->get();
}

static int setup_sign(cs_case *c)
{
    c->out_len = SIGNATURE;
    return CS_OK;
}

static void digest(cs_span msg, uint8_t out[SHA256_DIGEST])
{
    struct sha256 hash;

    sha256_begin(&hash);
    sha256_take(&hash, msg.data, msg.len);
    sha256_end(&hash, out);
}

static int call_sign(cs_case *c)
{
    uint8_t hash[SHA256_DIGEST];

    digest(c->msg, hash);
    return uECC_sign(c->key.data, hash, sizeof hash, c->out, curve_of(c)) ? CS_OK : cs_fail("uECC_sign");
}

/* What the library asks of a hash, for RFC 6979. */
struct deterministic {
    uECC_HashContext calls; /* is first: the library hands its address back */
    struct sha256 hash;
    uint8_t scratch[2 * SHA256_DIGEST + SHA256_BLOCK];
};

static struct sha256 *hash_of(const uECC_HashContext *calls)
{
    return &((struct deterministic *)(uintptr_t)calls)->hash;
}

static void begin(const uECC_HashContext *calls)
{
    sha256_begin(hash_of(calls));
}

static void take(const uECC_HashContext *calls, const uint8_t *message, unsigned len)
{
    sha256_take(hash_of(calls), message, len);
}

static void end(const uECC_HashContext *calls, uint8_t *out)
{
    sha256_end(hash_of(calls), out);
}

static int setup_sign_rfc6979(cs_case *c)
{
    struct deterministic *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->calls = (uECC_HashContext){.init_hash = begin,
                                  .update_hash = take,
                                  .finish_hash = end,
                                  .block_size = SHA256_BLOCK,
                                  .result_size = SHA256_DIGEST,
                                  .tmp = s->scratch};
    c->state = s;
    c->out_len = SIGNATURE;
    return CS_OK;
}

static int call_sign_rfc6979(cs_case *c)
{
    struct deterministic *s = c->state;
    uint8_t hash[SHA256_DIGEST];

    digest(c->msg, hash);
    return uECC_sign_deterministic(c->key.data, hash, sizeof hash, &s->calls, c->out, curve_of(c))
               ? CS_OK
               : cs_fail("uECC_sign_deterministic");
}

static int setup_verify(cs_case *c)
{
    if (cs_p256_point(c->pub) != CS_OK)
        return CS_ERROR;
    return uECC_valid_public_key(c->pub.data + POINT_MARK, curve_of(c)) ? CS_OK : CS_BAD_KEY;
}

/* uECC_verify reads 64 bytes whatever it is given, hence the length check. */
static int call_verify(cs_case *c)
{
    uint8_t hash[SHA256_DIGEST];

    if (c->sig.len != SIGNATURE)
        return CS_REJECTED;
    digest(c->msg, hash);
    return uECC_verify(c->pub.data + POINT_MARK, hash, sizeof hash, c->sig.data, curve_of(c)) ? CS_OK : CS_REJECTED;
}

/* ---- key generation ---- */

static int setup_keygen(cs_case *c)
{
    c->out_len = CS_P256_BYTES + CS_P256_POINT;
    return CS_OK;
}

static int call_keygen(cs_case *c)
{
    uint8_t *point = c->out + CS_P256_BYTES;

    point[0] = 4;
    return uECC_make_key(point + POINT_MARK, c->out, curve_of(c)) ? CS_OK : cs_fail("uECC_make_key");
}

/* ---- multiples of the generator ---- */

static int setup_base(cs_case *c)
{
    c->out_len = CS_P256_POINT;
    return CS_OK;
}

static int call_base(cs_case *c)
{
    c->out[0] = 4;
    return uECC_compute_public_key(c->key.data, c->out + POINT_MARK, curve_of(c)) ? CS_OK
                                                                                  : cs_fail("uECC_compute_public_key");
}

/* ---- agreement: static keys, and one that lives for a call ---- */

/* The point is checked apart, as its header asks for. */
static int setup_derive(cs_case *c)
{
    c->out_len = CS_P256_BYTES;
    return uECC_valid_public_key(c->pub.data + 1, curve_of(c)) ? CS_OK : CS_BAD_KEY;
}

/* It fails where the product is none for its ladder; it has no other word for it. */
static int call_derive(cs_case *c)
{
    return uECC_shared_secret(c->pub.data + 1, c->key.data, c->out, curve_of(c)) ? CS_OK : CS_BAD_KEY;
}

static int setup_agree(cs_case *c)
{
    c->out_len = CS_P256_POINT + CS_P256_BYTES;
    return CS_OK;
}

static int call_agree(cs_case *c)
{
    uint8_t key[CS_P256_BYTES];

    c->out[0] = 4;
    if (!uECC_make_key(c->out + POINT_MARK, key, curve_of(c)))
        return cs_fail("uECC_make_key");
    if (!uECC_valid_public_key(c->pub.data + POINT_MARK, curve_of(c)))
        return CS_BAD_KEY;
    return uECC_shared_secret(c->pub.data + POINT_MARK, key, c->out + CS_P256_POINT, curve_of(c))
               ? CS_OK
               : cs_fail("uECC_shared_secret");
}

/* ---- table ---- */

/* clang-format off */

static const cs_op ops[] = {
    {.id = "p-256/derive",
     .impl = "default",
     .name = "uECC_shared_secret",
     .setup = setup_derive,
     .call = call_derive,
     .rekey = cs_setup_again,
     .param = &p256,
     .counts_random = 1},
    {.id = "secp256k1/derive", .impl = "default", .name = "uECC_shared_secret", .setup = setup_derive, .call = call_derive, .rekey = cs_setup_again, .param = &secp256k1, .counts_random = 1},
    {.id = "p-256/multiply-base", .impl = "default", .name = "uECC_compute_public_key", .setup = setup_base, .call = call_base, .param = &p256, .counts_random = 1},
    {.id = "secp256k1/multiply-base", .impl = "default", .name = "uECC_compute_public_key", .setup = setup_base, .call = call_base, .param = &secp256k1, .counts_random = 1},
    {.id = "p-256/agree", .impl = "default", .name = "uECC_make_key, uECC_shared_secret", .setup = setup_agree, .call = call_agree, .rekey = cs_key_in_call, .param = &p256, .counts_random = 1},
    {.id = "ecdsa-p256-sha256/sign", .impl = "default", .name = "uECC_sign", .setup = setup_sign, .call = call_sign, .rekey = cs_key_in_call, .param = &p256, .form = "p1363", .counts_random = 1},
    {.id = "ecdsa-p256-sha256/sign", .impl = "rfc6979", .name = "uECC_sign_deterministic", .setup = setup_sign_rfc6979, .call = call_sign_rfc6979, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &p256, .form = "p1363", .counts_random = 1},
    {.id = "ecdsa-p256-sha256/verify", .impl = "default", .name = "uECC_verify", .setup = setup_verify, .call = call_verify, .rekey = cs_setup_again, .param = &p256, .form = "p1363"},
    {.id = "p-256/keygen", .impl = "default", .name = "uECC_make_key", .setup = setup_keygen, .call = call_keygen, .param = &p256, .counts_random = 1},
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = "default", .name = "uECC_sign", .setup = setup_sign, .call = call_sign, .rekey = cs_key_in_call, .param = &secp256k1, .form = "p1363", .counts_random = 1},
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = "rfc6979", .name = "uECC_sign_deterministic", .setup = setup_sign_rfc6979, .call = call_sign_rfc6979, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &secp256k1, .form = "p1363", .counts_random = 1},
    {.id = "ecdsa-secp256k1-sha256/verify", .impl = "default", .name = "uECC_verify", .setup = setup_verify, .call = call_verify, .rekey = cs_setup_again, .param = &secp256k1, .form = "p1363"},
    {.id = "secp256k1/keygen", .impl = "default", .name = "uECC_make_key", .setup = setup_keygen, .call = call_keygen, .param = &secp256k1, .counts_random = 1},
};
/* clang-format on */

static const cs_library library = {
    .abi = CS_ABI,
    .id = "micro-ecc",
    .version = library_version,
    .version_from = "package",
    .cpu_path = NULL,
    .open = open_library,
    .tables = CS_ROWS(ops),
};

CS_WORKER_MAIN(library)
