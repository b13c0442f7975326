/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: a library of our own, measured as every library is. What is measured is in README.md; the rows of
 * the table are made in rows.c.
 */
#include "adapter.h"

#include "ifma.h"

static const char *version(void)
{
    return "1.0";
}

static const char *cpu_path(void)
{
    return modexp_ifma_unavailable() == NULL ? "portable avx512ifma" : "portable";
}

static cs_table made;

static int open_library(void)
{
    made.rows = lab_rows(&made.n_rows);
    return CS_OK;
}

static const cs_library library = {.abi = CS_ABI,
                                   .id = "modexp",
                                   .version = version,
                                   .version_from = "library",
                                   .cpu_path = cpu_path,
                                   .open = open_library,
                                   .tables = CS_TABLES(&made)};

CS_WORKER_MAIN(library)
