/* SPDX-License-Identifier: Apache-2.0
 *
 * The instruction laboratory: kernels that are made from a table, behind the protocol as any library's operations.
 *
 * `msg` is the state before: memory, then registers. `key`, if given, is the number of turns as two bytes, least
 * significant first, for short known answers; a timed call has none and runs its full length.
 */
#include "kernels.h"

typedef struct running {
    void (*run)(const void *in, void *out, uint64_t turns);
    const void *in;
    void *out;
    uint64_t turns;
} running;

int cs_kernel_setup(cs_case *c)
{
    const cs_kernel *kernel = c->op->param;
    uint64_t turns = kernel->turns;
    if (c->msg.len != kernel->state_bytes)
        return cs_fail("msg is not as long as the state of this kernel");
    if (c->key.data != NULL) {
        if (c->key.len != 2)
            return cs_fail("key is not a number of turns in two bytes");
        turns = (uint64_t)c->key.data[0] | (uint64_t)c->key.data[1] << 8;
        if (turns > kernel->turns || (turns == 0 && kernel->once == NULL))
            return cs_fail("more turns than a call has, or none");
    }
    running *r = cs_alloc(sizeof *r);
    if (r == NULL)
        return CS_ERROR;
    *r = (running){.run = turns == 0 ? kernel->once : kernel->run, .in = c->msg.data, .out = c->out, .turns = turns};
    c->state = r;
    c->out_len = kernel->state_bytes;
    return CS_OK;
}

int cs_kernel_call(cs_case *c)
{
    const running *r = c->state;
    r->run(r->in, r->out, r->turns);
    return CS_OK;
}

void cs_kernel_teardown(cs_case *c)
{
    cs_free(c->state);
}

const char *cs_kernel_unavailable(const cs_op *op)
{
    const cs_kernel *kernel = op->param;
    for (const char *const *name = kernel->features; *name != NULL; name++) {
        const char *reason = cs_missing_feature(*name);
        if (reason != NULL)
            return reason;
    }
    return kernel->run == NULL ? "this build has no code for it" : NULL;
}

void cs_kernel_facts(cs_case *c, cs_facts *sink)
{
    const cs_kernel *kernel = c->op->param;
    cs_fact_number(sink, "units", kernel->units * kernel->turns);
    cs_fact_number(sink, "instructions", kernel->instructions * kernel->turns);
}

static const char *version(void)
{
    return CS_PACKAGE_VERSION;
}

int main(int argc, char **argv)
{
    const cs_table table = {cs_kernel_ops, cs_kernel_n_ops};
    const cs_library library = {.abi = CS_ABI,
                                .id = "instructions",
                                .version = version,
                                .version_from = "package",
                                .tables = CS_TABLES(&table)};
    return cs_worker_main(&library, argc, argv);
}
