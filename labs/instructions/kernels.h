/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the adapter and what is made from the kernel table: kernels.S and kernels_table.c.
 */
#ifndef CS_KERNELS_H
#define CS_KERNELS_H

#include "cipherstone.h"

#define CS_KERNEL_FEATURES 4

/* One program. `run` copies memory and registers from `in`, executes its block `turns` times, and stores them at `out`;
 * it is NULL where this build has no code for it. `once` does so with the first element of the block alone; NULL where
 * no published example asks for it. `units`: units of work in a block, which has `instructions`. */
typedef struct cs_kernel {
    void (*run)(const void *in, void *out, uint64_t turns);
    void (*once)(const void *in, void *out, uint64_t turns);
    uint64_t turns; /* of a whole call */
    size_t state_bytes;
    uint64_t units, instructions;
    const char *features[CS_KERNEL_FEATURES + 1]; /* what the processor must have; ends with NULL */
} cs_kernel;

extern const cs_op cs_kernel_ops[];
extern const size_t cs_kernel_n_ops;

int cs_kernel_setup(cs_case *c);
int cs_kernel_call(cs_case *c);
void cs_kernel_teardown(cs_case *c);
const char *cs_kernel_unavailable(const cs_op *op);
void cs_kernel_facts(cs_case *c, cs_facts *sink);

/* NULL if the processor has a feature and the operating system keeps the registers it needs, else why not (a static
 * string). The words are those of the table; one that is not known here is not there. */
const char *cs_missing_feature(const char *name);

#endif
