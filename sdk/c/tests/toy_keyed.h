/* SPDX-License-Identifier: Apache-2.0
 *
 * The toy operations that take a key: seal, open, encrypt, sign and verify. Define _POSIX_C_SOURCE before including
 * this file; sign uses clock_gettime.
 */
#ifndef TOY_KEYED_H
#define TOY_KEYED_H

#include "toy_sum.h"

#include <string.h>
#include <time.h>

#define KEY_BYTES 16

/* ---- seal, open, encrypt: SplitMix64 from sum(key, iv) as key stream, sum(key, iv, aad, ciphertext) as tag ---------
 */

static uint64_t keyed(const cs_case *c)
{
    return sum(sum(SUM_START, c->key), c->iv);
}

static void mask(uint64_t seed, cs_span in, uint8_t *out)
{
    uint64_t word = 0;
    for (size_t i = 0; i < in.len; i++) {
        if (i % 8 == 0) {
            seed += 0x9e3779b97f4a7c15u;
            word = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
            word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
            word ^= word >> 31;
        }
        out[i] = in.data[i] ^ (uint8_t)(word >> (8 * (i % 8)));
    }
}

static int keyed_setup(cs_case *c)
{
    if (c->key.len != KEY_BYTES)
        return cs_fail("key must have 16 bytes");
    c->out_len = c->msg.len;
    return CS_OK;
}

static int encrypt_call(cs_case *c)
{
    mask(keyed(c), c->msg, c->out);
    return CS_OK;
}

static int seal_setup(cs_case *c)
{
    int status = keyed_setup(c);
    c->out_len = c->msg.len + SUM_BYTES;
    return status;
}

static int seal_call(cs_case *c)
{
    mask(keyed(c), c->msg, c->out);
    cs_span sealed = {c->out, c->msg.len};
    put64(c->out + c->msg.len, sum(sum(keyed(c), c->aad), sealed));
    return CS_OK;
}

static int open_call(cs_case *c)
{
    uint8_t tag[SUM_BYTES];
    put64(tag, sum(sum(keyed(c), c->aad), c->msg));
    if (c->tag.len != sizeof tag || memcmp(tag, c->tag.data, sizeof tag) != 0)
        return CS_REJECTED;
    mask(keyed(c), c->msg, c->out);
    return CS_OK;
}

/* ---- sign, verify: nonce followed by sum(key, nonce, msg); the public key is the private one ------------------------
 */

static uint64_t signature(cs_span key, cs_span nonce, cs_span msg)
{
    return sum(sum(sum(SUM_START, key), nonce), msg);
}

static int sign_setup(cs_case *c)
{
    uint64_t *counter = cs_alloc(sizeof *counter);
    struct timespec now;
    if (counter == NULL)
        return CS_ERROR;
    clock_gettime(CLOCK_REALTIME, &now);
    *counter = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    c->state = counter;
    c->out_len = 2 * SUM_BYTES;
    return CS_OK;
}

static int sign_call(cs_case *c)
{
    uint64_t *counter = c->state;
    cs_span nonce = {c->out, SUM_BYTES};
    put64(c->out, ++*counter);
    put64(c->out + SUM_BYTES, signature(c->key, nonce, c->msg));
    return CS_OK;
}

static void sign_teardown(cs_case *c)
{
    cs_free(c->state);
}

static int verify_setup(cs_case *c)
{
    c->out_len = 0;
    return CS_OK;
}

static int verify_call(cs_case *c)
{
    uint8_t expected[SUM_BYTES];
    if (c->sig.len != 2 * SUM_BYTES)
        return CS_REJECTED;
    cs_span nonce = {c->sig.data, SUM_BYTES};
    put64(expected, signature(c->pub, nonce, c->msg));
    return memcmp(expected, c->sig.data + SUM_BYTES, SUM_BYTES) == 0 ? CS_OK : CS_REJECTED;
}

#endif
