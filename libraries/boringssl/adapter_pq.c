/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL: ML-DSA, whose private keys go in and come out as seeds, and SLH-DSA, whose keys are bytes in every call.
 *
 * Entry points: MLDSA*_generate_key, MLDSA*_private_key_from_seed, MLDSA*_sign, MLDSA*_parse_public_key,
 * MLDSA*_verify, SLHDSA_SHA2_128S_*.
 */
#include <string.h>

#include <openssl/bytestring.h>
#include <openssl/err.h>
#include <openssl/mldsa.h>
#include <openssl/slhdsa.h>

#include "adapter.h"

static int give_up(cs_case *c, const char *what)
{
    cs_teardown_state(c);
    return session_fail(what);
}

/* The private key that key generation expands is memory of the caller, as the manual has it. */
#define ML_DSA(BITS)                                                                                                   \
    struct mldsa_##BITS##_pair {                                                                                       \
        struct MLDSA##BITS##_private_key key;                                                                          \
        struct MLDSA##BITS##_public_key pub;                                                                           \
        cs_span seed;                                                                                                  \
    };                                                                                                                 \
                                                                                                                       \
    static int mldsa_##BITS##_keygen_setup(cs_case *c)                                                                 \
    {                                                                                                                  \
        struct mldsa_##BITS##_pair *s = cs_alloc(sizeof *s);                                                           \
                                                                                                                       \
        c->state = s;                                                                                                  \
        if (s == NULL)                                                                                                 \
            return CS_ERROR;                                                                                           \
        s->seed = cs_input(c, "seed");                                                                                 \
        c->out_len = MLDSA_SEED_BYTES + MLDSA##BITS##_PUBLIC_KEY_BYTES;                                                \
        return CS_OK;                                                                                                  \
    }                                                                                                                  \
                                                                                                                       \
    /* What is generated of a seed that is given; none such is timed. */                                               \
    static int mldsa_##BITS##_of_seed(cs_case *c)                                                                      \
    {                                                                                                                  \
        struct mldsa_##BITS##_pair *s = c->state;                                                                      \
        CBB out;                                                                                                       \
        size_t len = 0;                                                                                                \
                                                                                                                       \
        memcpy(c->out, s->seed.data, MLDSA_SEED_BYTES);                                                                \
        return MLDSA##BITS##_private_key_from_seed(&s->key, s->seed.data, s->seed.len) == 1 &&                         \
               MLDSA##BITS##_public_from_private(&s->pub, &s->key) == 1 &&                                             \
               CBB_init_fixed(&out, c->out + MLDSA_SEED_BYTES, MLDSA##BITS##_PUBLIC_KEY_BYTES) == 1 &&                 \
               MLDSA##BITS##_marshal_public_key(&out, &s->pub) == 1 && CBB_finish(&out, NULL, &len) == 1;              \
    }                                                                                                                  \
                                                                                                                       \
    static int mldsa_##BITS##_keygen_call(cs_case *c)                                                                  \
    {                                                                                                                  \
        struct mldsa_##BITS##_pair *s = c->state;                                                                      \
        int done = s->seed.data != NULL ? mldsa_##BITS##_of_seed(c)                                                    \
                                        : MLDSA##BITS##_generate_key(c->out + MLDSA_SEED_BYTES, c->out, &s->key);      \
                                                                                                                       \
        return done == 1 ? CS_OK : session_fail("MLDSA" #BITS "_generate_key");                                        \
    }                                                                                                                  \
                                                                                                                       \
    static int mldsa_##BITS##_sign_setup(cs_case *c)                                                                   \
    {                                                                                                                  \
        c->state = cs_alloc(sizeof(struct MLDSA##BITS##_private_key));                                                 \
        if (c->state == NULL)                                                                                          \
            return CS_ERROR;                                                                                           \
        c->out_len = MLDSA##BITS##_SIGNATURE_BYTES;                                                                    \
        return MLDSA##BITS##_private_key_from_seed(c->state, c->key.data, c->key.len) == 1                             \
                   ? CS_OK                                                                                             \
                   : give_up(c, "MLDSA" #BITS "_private_key_from_seed");                                               \
    }                                                                                                                  \
                                                                                                                       \
    static int mldsa_##BITS##_sign_call(cs_case *c)                                                                    \
    {                                                                                                                  \
        return MLDSA##BITS##_sign(c->out, c->state, c->msg.data, c->msg.len, NULL, 0) == 1                             \
                   ? CS_OK                                                                                             \
                   : session_fail("MLDSA" #BITS "_sign");                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static int mldsa_##BITS##_verify_setup(cs_case *c)                                                                 \
    {                                                                                                                  \
        CBS in;                                                                                                        \
                                                                                                                       \
        c->state = cs_alloc(sizeof(struct MLDSA##BITS##_public_key));                                                  \
        if (c->state == NULL)                                                                                          \
            return CS_ERROR;                                                                                           \
        CBS_init(&in, c->pub.data, c->pub.len);                                                                        \
        return MLDSA##BITS##_parse_public_key(c->state, &in) == 1 ? CS_OK                                              \
                                                                  : give_up(c, "MLDSA" #BITS "_parse_public_key");     \
    }                                                                                                                  \
                                                                                                                       \
    static int mldsa_##BITS##_verify_call(cs_case *c)                                                                  \
    {                                                                                                                  \
        return MLDSA##BITS##_verify(c->state, c->sig.data, c->sig.len, c->msg.data, c->msg.len, NULL, 0) == 1          \
                   ? CS_OK                                                                                             \
                   : session_reject("MLDSA" #BITS "_verify");                                                          \
    }

ML_DSA(44)
ML_DSA(65)
ML_DSA(87)

/* ---- SLH-DSA ---- */

/* `state` is the seed, which stands beside the case. */
static int slhdsa_keygen_setup(cs_case *c)
{
    c->state = (void *)(uintptr_t)cs_input(c, "seed").data;
    c->out_len = SLHDSA_SHA2_128S_PRIVATE_KEY_BYTES + SLHDSA_SHA2_128S_PUBLIC_KEY_BYTES;
    return CS_OK;
}

static int slhdsa_keygen_call(cs_case *c)
{
    uint8_t *pub = c->out + SLHDSA_SHA2_128S_PRIVATE_KEY_BYTES;

    if (c->state != NULL)
        SLHDSA_SHA2_128S_generate_key_from_seed(pub, c->out, c->state);
    else
        SLHDSA_SHA2_128S_generate_key(pub, c->out);
    return CS_OK;
}

static int slhdsa_sign_setup(cs_case *c)
{
    c->out_len = SLHDSA_SHA2_128S_SIGNATURE_BYTES;
    return CS_OK;
}

static int slhdsa_sign_call(cs_case *c)
{
    return SLHDSA_SHA2_128S_sign(c->out, c->key.data, c->msg.data, c->msg.len, NULL, 0) == 1
               ? CS_OK
               : session_fail("SLHDSA_SHA2_128S_sign");
}

static int slhdsa_verify_call(cs_case *c)
{
    return SLHDSA_SHA2_128S_verify(c->sig.data, c->sig.len, c->pub.data, c->msg.data, c->msg.len, NULL, 0) == 1
               ? CS_OK
               : session_reject("SLHDSA_SHA2_128S_verify");
}

/* ---- rows ---- */

#define ML_DSA_ROW(BITS, VERB, NAME, ...)                                                                              \
    {.id = "ml-dsa-" #BITS "/" #VERB,                                                                                  \
     .impl = "default",                                                                                                \
     .name = "MLDSA" #BITS NAME,                                                                                       \
     .setup = mldsa_##BITS##_##VERB##_setup,                                                                           \
     .call = mldsa_##BITS##_##VERB##_call,                                                                             \
     .teardown = cs_teardown_state,                                                                                    \
     __VA_ARGS__}
#define ML_DSA_ROWS_OF(BITS)                                                                                           \
    ML_DSA_ROW(BITS, keygen, "_generate_key", .seed = random_seed, .seeded = 1),                                       \
        ML_DSA_ROW(BITS, sign, "_sign", .rekey = cs_setup_again, .seed = random_seed),                                 \
        ML_DSA_ROW(BITS, verify, "_verify", .rekey = cs_setup_again)

static const cs_op rows[] = {
    ML_DSA_ROWS_OF(44),
    ML_DSA_ROWS_OF(65),
    ML_DSA_ROWS_OF(87),
    {.id = "slh-dsa-sha2-128s/keygen",
     .impl = "default",
     .name = "SLHDSA_SHA2_128S_generate_key",
     .setup = slhdsa_keygen_setup,
     .call = slhdsa_keygen_call,
     .seed = random_seed,
     .seeded = 1},
    {.id = "slh-dsa-sha2-128s/sign",
     .impl = "default",
     .name = "SLHDSA_SHA2_128S_sign",
     .setup = slhdsa_sign_setup,
     .call = slhdsa_sign_call,
     .rekey = cs_key_in_call,
     .seed = random_seed},
    {.id = "slh-dsa-sha2-128s/verify",
     .impl = "default",
     .name = "SLHDSA_SHA2_128S_verify",
     .call = slhdsa_verify_call,
     .rekey = cs_key_in_call},
};
const cs_table own_pq = CS_TABLE(rows);
