/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of an adapter for a program of another kind, which has other calls behind them.
 */
#ifndef CIPHERSTONE_TLS_ROWS_H
#define CIPHERSTONE_TLS_ROWS_H

#include "tls.h"

/* A copy of all rows, never freed; NULL without memory. */
static inline cs_op *tls_copied_rows(const cs_library *library, size_t *count)
{
    *count = 0;
    while (cs_row(library, *count) != NULL)
        ++*count;
    cs_op *rows = cs_alloc(*count * sizeof *rows);
    for (size_t i = 0; rows != NULL && i < *count; i++)
        rows[i] = *cs_row(library, i);
    return rows;
}

#endif
