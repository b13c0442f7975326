/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: the label of a row: which secrets its time reveals by construction, to anyone who can time it.
 */
#ifndef MODEXP_LEAK_H
#define MODEXP_LEAK_H

#include "lab.h"

/* Stands in place of a reduction for the IFMA back end (ifma.h). */
enum { ROW_IFMA = MODEXP_REDUCTIONS, ROW_KINDS };

/* Of an exponentiation, and of a single product or square, which has no exponent. `reduction` is a modexp_reduction or
 * ROW_IFMA. Static strings; those of rows that are meant to hide everything begin with "constant-time". Lengths of
 * numbers are public. */
const char *modexp_leak_of_power(unsigned reduction, modexp_scan scan);
const char *modexp_leak_of_product(unsigned reduction);

#endif
