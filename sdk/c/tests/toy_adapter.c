/* SPDX-License-Identifier: Apache-2.0
 *
 * A mock library: small deterministic operations for the contract tests, and every way in which a real one goes
 * wrong. tests/contract/toy_worker.py is the same library in Python. None of this is cryptography.
 */
#define _POSIX_C_SOURCE 200809L
#include "cipherstone.h"
#include "toy_keyed.h"
#include "toy_sum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A chain of dependent multiplications and additions, about a nanosecond each. */
static void work(uint64_t steps)
{
    volatile uint64_t sink;
    uint64_t x = steps;
    for (uint64_t i = 0; i < steps; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
    (void)sink;
}

/* ---- hashes: sum(msg), each with a quirk --------------------------------------------------------------------------
 */

static int hash_setup(cs_case *c)
{
    c->out_len = SUM_BYTES;
    return CS_OK;
}

static int hash_call(cs_case *c)
{
    put64(c->out, sum(SUM_START, c->msg));
    return CS_OK;
}

/* The digest is the message: shows the bytes of an input. */
static int copy_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

static int copy_call(cs_case *c)
{
    memcpy(c->out, c->msg.data, c->msg.len);
    return CS_OK;
}

/* `param` points to the number of steps. */
static int busy_call(cs_case *c)
{
    work(*(const uint64_t *)c->op->param);
    return hash_call(c);
}

static int noisy_call(cs_case *c)
{
    static const char line[] = "{\"seq\":0,\"ok\":false,\"error\":\"from the library\"}\n";
    printf("%s", line);
    fflush(stdout);
    if (write(1, line, sizeof line - 1) < 0)
        return cs_fail("cannot write");
    return hash_call(c);
}

static int failing_call(cs_case *c)
{
    (void)c;
    return cs_fail("the toy fails on every call");
}

static int overrun_call(cs_case *c)
{
    c->out[c->out_cap] = 1;
    return hash_call(c);
}

/* Faults that only the SDK can see: the result is right. */
static int changing_call(cs_case *c)
{
    int status = hash_call(c);
    if (c->msg.len > 0)
        ((uint8_t *)(uintptr_t)c->msg.data)[c->msg.len - 1] ^= 1;
    return status;
}

static int beside_call(cs_case *c)
{
    ((uint8_t *)(uintptr_t)c->msg.data)[c->msg.len] = 0;
    return hash_call(c);
}

/* The first bytes of the digest, as many as the parameter `out` says. */
static int cut_setup(cs_case *c)
{
    c->out_len = (size_t)cs_param_number(c, "out", SUM_BYTES);
    return c->out_len <= SUM_BYTES ? CS_OK : cs_fail("out is more than 8");
}

static int cut_call(cs_case *c)
{
    uint8_t digest[SUM_BYTES];
    put64(digest, sum(SUM_START, c->msg));
    memcpy(c->out, digest, c->out_len);
    return CS_OK;
}

/* Private and public key of a seed: its sum, and the sum of that; a fixed pair without a seed. */
static int keygen_call(cs_case *c)
{
    cs_span seed = cs_input(c, "seed");
    put64(c->out, sum(SUM_START, seed));
    put64(c->out + SUM_BYTES, sum(SUM_START, (cs_span){c->out, SUM_BYTES}));
    c->out_len = 2 * SUM_BYTES;
    return CS_OK;
}

static int derive_setup(cs_case *c)
{
    c->out_len = SUM_BYTES;
    return c->key.len == 0 ? CS_BAD_KEY : CS_OK;
}

static int derive_call(cs_case *c)
{
    if (c->pub.len == 0)
        return CS_BAD_KEY;
    put64(c->out, sum(sum(SUM_START, c->key), c->pub));
    return CS_OK;
}

static int no_setup(cs_case *c)
{
    (void)c;
    return cs_fail("the toy refuses every input");
}

static const char *refused(const cs_op *op)
{
    (void)op;
    return "the toy refuses this on every CPU";
}

/* Steps that a process takes once: there is nothing to do in them. */
static const char *willing(const cs_op *op)
{
    (void)op;
    return NULL;
}

static const char *started(void)
{
    return NULL;
}

static const char *seeded(void)
{
    return NULL;
}

static const char *fetched(const cs_op *op, void **found)
{
    (void)op;
    (void)found;
    return NULL;
}

/* So that a test sees that it is asked. */
static const char *settled(void)
{
    return getenv("TOY_UNSETTLED") != NULL ? "told not to settle" : NULL;
}

/* ---- results that stay in the state until they are asked for -------------------------------------------------------
 */

#define LATE_SPOILT 0

static int late_setup(cs_case *c)
{
    c->out_len = SUM_BYTES;
    c->state = cs_alloc(sizeof(uint64_t));
    return c->state == NULL ? CS_ERROR : CS_OK;
}

/* The right result is there before the first call. */
static int idle_setup(cs_case *c)
{
    int status = late_setup(c);
    if (status == CS_OK)
        *(uint64_t *)c->state = sum(SUM_START, c->msg);
    return status;
}

static int late_call(cs_case *c)
{
    *(uint64_t *)c->state = sum(SUM_START, c->msg);
    return CS_OK;
}

static int idle_call(cs_case *c)
{
    (void)c;
    return CS_OK;
}

static int late_finish(cs_case *c)
{
    uint64_t *result = c->state;
    put64(c->out, *result);
    *result = LATE_SPOILT;
    return CS_OK;
}

static int failing_finish(cs_case *c)
{
    (void)c;
    return cs_fail("the toy cannot encode its result");
}

static void late_teardown(cs_case *c)
{
    cs_free(c->state);
}

static void late_facts(cs_case *c, cs_facts *sink)
{
    cs_fact_number(sink, "mul", 1);
    cs_fact_text(sink, "leak", "length of msg by loop");
    cs_fact_number(sink, "mul", c->msg.len);
}

static void babbling_facts(cs_case *c, cs_facts *sink)
{
    (void)c;
    cs_fact_number(sink, "mul", 1);
    cs_fact_number(sink, "Mul sqr", 1);
}

/* ---- the table ------------------------------------------------------------------------------------------------------
 */

static const uint64_t five_ms = 5000000, base = 10000, plus3 = 10300;

static const cs_op ops[] = {
    {.id = "toy-sum/hash", .impl = "default", .name = "toy_sum", .setup = hash_setup, .call = hash_call},
    {.id = "toy-copy/hash", .impl = "default", .name = "toy_copy", .setup = copy_setup, .call = copy_call},
    {.id = "toy-seal/seal",
     .impl = "default",
     .name = "toy_seal",
     .setup = seal_setup,
     .call = seal_call,
     .rekey = seal_setup},
    {.id = "toy-seal/open",
     .impl = "default",
     .name = "toy_open",
     .setup = keyed_setup,
     .call = open_call,
     .rekey = cs_setup_again},
    {.id = "toy-blocks/encrypt",
     .impl = "default",
     .name = "toy_encrypt",
     .setup = keyed_setup,
     .call = encrypt_call,
     .block = 16,
     .cannot = "place: the toy reads behind what it writes"},
    {.id = "toy-random/sign",
     .impl = "default",
     .name = "toy_sign",
     .setup = sign_setup,
     .call = sign_call,
     .teardown = sign_teardown,
     .form = "p1363"},
    {.id = "toy-random/verify",
     .impl = "default",
     .name = "toy_verify",
     .setup = verify_setup,
     .call = verify_call,
     .form = "p1363"},
    {.id = "toy-slow/hash",
     .impl = "default",
     .name = "toy_slow",
     .setup = hash_setup,
     .call = busy_call,
     .param = &five_ms},
    {.id = "toy-delay/hash",
     .impl = "base",
     .name = "toy_delay",
     .setup = hash_setup,
     .call = busy_call,
     .param = &base},
    {.id = "toy-delay/hash",
     .impl = "plus3",
     .name = "toy_delay_plus3",
     .setup = hash_setup,
     .call = busy_call,
     .param = &plus3},
    {.id = "toy-refused/hash",
     .impl = "default",
     .name = "toy_refused",
     .setup = hash_setup,
     .call = hash_call,
     .unavailable = refused},
    {.id = "toy-once/hash",
     .impl = "default",
     .name = "toy_once",
     .setup = hash_setup,
     .call = hash_call,
     .unavailable = willing,
     .open = started,
     .seed = seeded,
     .fetch = fetched,
     .settle = settled},
    {.id = "toy-unset/hash", .impl = "default", .name = "toy_unset", .setup = no_setup, .call = hash_call},
    {.id = "toy-failing/hash", .impl = "default", .name = "toy_failing", .setup = hash_setup, .call = failing_call},
    {.id = "toy-noisy/hash", .impl = "default", .name = "toy_noisy", .setup = hash_setup, .call = noisy_call},
    {.id = "toy-overrun/hash", .impl = "default", .name = "toy_overrun", .setup = hash_setup, .call = overrun_call},
    {.id = "toy-late/hash",
     .impl = "default",
     .name = "toy_late",
     .setup = late_setup,
     .call = late_call,
     .teardown = late_teardown,
     .finish = late_finish,
     .facts = late_facts},
    {.id = "toy-late/hash",
     .impl = "idle",
     .name = "toy_late_idle",
     .setup = idle_setup,
     .call = idle_call,
     .teardown = late_teardown,
     .finish = late_finish},
    {.id = "toy-late/hash",
     .impl = "stuck",
     .name = "toy_late_stuck",
     .setup = late_setup,
     .call = late_call,
     .teardown = late_teardown,
     .finish = failing_finish,
     .facts = babbling_facts},
    {.id = "toy-changing/hash", .impl = "default", .name = "toy_changing", .setup = hash_setup, .call = changing_call},
    {.id = "toy-beside/hash", .impl = "default", .name = "toy_beside", .setup = hash_setup, .call = beside_call},
    {.id = "toy-cut/hash",
     .impl = "default",
     .name = "toy_cut",
     .setup = cut_setup,
     .call = cut_call,
     .params = "out=4|8,mode=sum"},
    {.id = "toy-cut/hash",
     .impl = "default",
     .name = "toy_copy",
     .setup = copy_setup,
     .call = copy_call,
     .params = "mode=copy"},
    {.id = "toy-pair/keygen", .impl = "default", .name = "toy_keygen", .call = keygen_call, .seeded = 1},
    {.id = "toy-pair/keygen", .impl = "unseeded", .name = "toy_keygen", .call = keygen_call},
    {.id = "toy-pair/derive", .impl = "default", .name = "toy_derive", .setup = derive_setup, .call = derive_call},
};

static const char *version(void)
{
    return "1.0";
}

static const cs_library toy = {
    .abi = CS_ABI, .id = "toy", .version = version, .version_from = "library", .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(toy)
