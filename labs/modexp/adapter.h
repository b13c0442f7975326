/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory adapter: its rows, and what its files offer each other.
 */
#ifndef MODEXP_ADAPTER_H
#define MODEXP_ADAPTER_H

#include "cipherstone.h"
#include "lab.h"
#include "leak.h"

/* What a row's `param` points at. */
typedef struct lab_row {
    modexp_method method;
    const modexp_backend *backend, *counted; /* NULL for IFMA */
    unsigned reduction;                      /* method.reduction, or ROW_IFMA */
    unsigned bits;                           /* of the modulus in the operation's name */
    unsigned key_bits;                       /* of the modulus, or of each prime */
} lab_row;

/* Fills the table once and tells its rows. */
const cs_op *lab_rows(size_t *count);

/* A function's part in the operations: adapter_power.c, adapter_crt.c, adapter_product.c, adapter_ifma.c. */
typedef struct lab_functions {
    int (*setup)(cs_case *c);
    int (*call)(cs_case *c);
    void (*teardown)(cs_case *c);
    int (*finish)(cs_case *c);
    void (*facts)(cs_case *c, cs_facts *sink);
    const char *(*unavailable)(const cs_op *op);
} lab_functions;
extern const lab_functions lab_power, lab_crt, lab_product, lab_square;
extern const lab_functions lab_ifma_power, lab_ifma_crt, lab_ifma_product;

/* -- adapter_inputs.c: numbers out of a case; each returns CS_OK, or cs_fail with one line -- */

/* The modulus into a new key block; it must have exactly row.bits bits. */
int lab_key(void **key, const modexp_backend *backend, const lab_row *row, cs_span modulus, int crt);
/* `count` operands of row.bits in `msg`, each below the modulus, into new limbs. */
int lab_operands(void **limbs, const modexp_backend *backend, const lab_row *row, const cs_case *c, size_t count);
/* The parts of a CRT key, each half of row.bits: p, q, dP, dQ, qInv; the base in `msg` is checked against p q. */
typedef struct lab_crt_key {
    cs_span p, q, dp, dq, q_inverse;
} lab_crt_key;
int lab_crt_parts(lab_crt_key *parts, const lab_row *row, const cs_case *c);
/* Big-endian comparison of numbers of one length: below 0, 0, above 0. */
int lab_compare(cs_span a, cs_span b);

/* -- adapter_facts.c -- */

void lab_facts_counts(cs_facts *sink, const modexp_counts *counts);
/* `exponentiation`: 0 for a single product, which has no exponent to tell. */
void lab_facts_method(cs_facts *sink, const lab_row *row, int exponentiation);
void lab_facts_memory(cs_facts *sink, size_t arena, size_t table, size_t key);
void lab_facts_symbols(cs_facts *sink, const lab_row *row, int exponentiation, int crt);

#endif
