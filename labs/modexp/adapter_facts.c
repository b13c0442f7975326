/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory adapter: the facts that are reported about a row, beside its time.
 */
#include "adapter.h"

#include <stdio.h>
#include <string.h>

void lab_facts_counts(cs_facts *sink, const modexp_counts *counts)
{
    cs_fact_number(sink, "mul", counts->mul);
    cs_fact_number(sink, "sqr", counts->sqr);
    cs_fact_number(sink, "red", counts->red);
    cs_fact_number(sink, "limb_mul", counts->limb_mul);
}

void lab_facts_memory(cs_facts *sink, size_t arena, size_t table, size_t key)
{
    cs_fact_number(sink, "arena_bytes", arena);
    cs_fact_number(sink, "table_bytes", table);
    cs_fact_number(sink, "key_bytes", key);
}

static const char *const method_words[ROW_KINDS] = {
    [MODEXP_BASIC] = "product, then division (Knuth D)",
    [MODEXP_BARRETT] = "product, then Barrett's reduction",
    [MODEXP_CIOS] = "Montgomery, coarsely integrated rows",
    [MODEXP_FIOS] = "Montgomery, finely integrated rows",
    [MODEXP_MONT] = "product or square by columns, then Montgomery's reduction",
    [MODEXP_MONT_K] = "product or square by Karatsuba, then Montgomery's reduction",
    [ROW_IFMA] = "Montgomery with AVX-512 IFMA",
#if MODEXP_HAS_UMAAL
    [MODEXP_UMAAL] = "product or square by UMAAL, then Montgomery's reduction by UMAAL",
#endif
};

static const char *const reduction_words[ROW_KINDS] = {
    [MODEXP_BASIC] = "basic", [MODEXP_BARRETT] = "barrett", [MODEXP_CIOS] = "cios", [MODEXP_FIOS] = "fios",
    [MODEXP_MONT] = "mont",   [MODEXP_MONT_K] = "mont.k",   [ROW_IFMA] = "ifma",
#if MODEXP_HAS_UMAAL
    [MODEXP_UMAAL] = "umaal",
#endif
};
/* The way over the exponent; `masked`: the whole table is read for each entry. */
static const char *const scan_words[MODEXP_SCANS] = {"fast", "ladder", "fw", "fw", "rm"};

void lab_facts_method(cs_facts *sink, const lab_row *row, int exponentiation)
{
    cs_fact_number(sink, "limb_bits", row->backend != NULL ? row->backend->limb_bits : 52);
    cs_fact_number(sink, "window", row->method.window);
    cs_fact_text(sink, "method", method_words[row->reduction]);
    cs_fact_text(sink, "reduction", reduction_words[row->reduction]);
    if (exponentiation) {
        cs_fact_text(sink, "scan", scan_words[row->method.scan]);
        cs_fact_number(sink, "masked", row->method.scan == MODEXP_FIXED_CT);
    }
    cs_fact_text(sink, "leak",
                 exponentiation ? modexp_leak_of_power(row->reduction, row->method.scan)
                                : modexp_leak_of_product(row->reduction));
}

/* Functions by their names in the sources; the limb size is appended to each. */
#define MUL_BY_ROWS "school_mul row_mac "
#define MUL_BY_COLUMNS "comba_mul strip8_set strip8_add comba_rest strip4_add row_mac "
#define SQR_BY_COLUMNS "comba_sqr wedge8_set wedge8_add wedge8_last double_and_squares row_mac "
#define REDUCE_BY_COLUMNS "mont_reduce strip8_carry reduce8 row_mac vec_sub_if "
#define KARATSUBA "karatsuba_mul karatsuba_sqr abs_difference middle_add "

static const char *const reduction_symbols[MODEXP_REDUCTIONS] = {
    [MODEXP_BASIC] = "basic_mul basic_sqr school_sqr knuth_reduce row_sub vec_add " MUL_BY_ROWS,
    [MODEXP_BARRETT] = "barrett_mul barrett_sqr barrett_reduce vec_sub vec_select_if " MUL_BY_COLUMNS SQR_BY_COLUMNS,
    [MODEXP_CIOS] = "cios_mul cios_sqr row_mac row_reduce vec_sub_if",
    [MODEXP_FIOS] = "fios_mul fios_sqr vec_sub_if",
    [MODEXP_MONT] = "mont_mul mont_sqr " MUL_BY_COLUMNS SQR_BY_COLUMNS REDUCE_BY_COLUMNS,
    [MODEXP_MONT_K] = "mont_k_mul mont_k_sqr " KARATSUBA MUL_BY_COLUMNS SQR_BY_COLUMNS REDUCE_BY_COLUMNS,
#if MODEXP_HAS_UMAAL
    [MODEXP_UMAAL] = "umaal_mul umaal_sqr umaal_product umaal_square umaal_reduce umaal_set4 umaal_add4 umaal_reduce4 "
                     "umaal_wedge4_set umaal_wedge4_add umaal_double umaal_row vec_sub_if",
#endif
};
/* Beside these, out of Montgomery form after an exponentiation. */
static const char *const leave_symbols[MODEXP_REDUCTIONS] = {
    [MODEXP_BASIC] = "",
    [MODEXP_BARRETT] = "",
    [MODEXP_CIOS] = "rows_leave",
    [MODEXP_FIOS] = "rows_leave row_reduce",
    [MODEXP_MONT] = "mont_settle",
    [MODEXP_MONT_K] = "mont_settle",
#if MODEXP_HAS_UMAAL
    [MODEXP_UMAAL] = "mont_settle " REDUCE_BY_COLUMNS,
#endif
};
/* With CRT the base is reduced, and the result put together. */
static const char *const crt_symbols[MODEXP_REDUCTIONS] = {
    [MODEXP_BASIC] = MUL_BY_COLUMNS,
    [MODEXP_BARRETT] = "",
    [MODEXP_CIOS] = MUL_BY_COLUMNS REDUCE_BY_COLUMNS,
    [MODEXP_FIOS] = MUL_BY_COLUMNS REDUCE_BY_COLUMNS,
    [MODEXP_MONT] = "",
    [MODEXP_MONT_K] = "",
#if MODEXP_HAS_UMAAL
    [MODEXP_UMAAL] = MUL_BY_COLUMNS,
#endif
};
static const char *const scan_symbols[MODEXP_SCANS] = {
    [MODEXP_FAST] = "scan_fast",
    [MODEXP_LADDER] = "scan_ladder vec_swap_if",
    [MODEXP_FIXED] = "scan_fixed fixed_table",
    [MODEXP_FIXED_CT] = "scan_fixed_ct fixed_table table_gather",
    [MODEXP_SLIDING] = "scan_sliding",
};

/* Appends the words that are not there yet. */
static void add_symbols(char *list, size_t size, const char *words, unsigned limb_bits)
{
    char name[64], padded[1200];

    while (*words != '\0') {
        size_t len = strcspn(words, " ");

        snprintf(name, sizeof(name), " %.*s_%u ", (int)len, words, limb_bits);
        snprintf(padded, sizeof(padded), " %s ", list);
        if (strstr(padded, name) == NULL) {
            name[strlen(name) - 1] = '\0';
            strncat(list, list[0] == '\0' ? name + 1 : name, size - strlen(list) - 1);
        }
        words += len + strspn(words + len, " ");
    }
}

void lab_facts_symbols(cs_facts *sink, const lab_row *row, int exponentiation, int crt)
{
    unsigned bits = row->backend->limb_bits;
    char list[1000] = "";

    add_symbols(list, sizeof(list), reduction_symbols[row->reduction], bits);
    if (exponentiation) {
        add_symbols(list, sizeof(list), leave_symbols[row->reduction], bits);
        add_symbols(list, sizeof(list), scan_symbols[row->method.scan], bits);
        add_symbols(list, sizeof(list), "form_enter form_leave", bits);
    }
    if (crt) {
        add_symbols(list, sizeof(list), crt_symbols[row->reduction], bits);
        add_symbols(list, sizeof(list), "power_crt form_enter_long garner mont_settle vec_add vec_sub vec_select_if",
                    bits);
    } else {
        add_symbols(list, sizeof(list), exponentiation ? "power_plain" : "single_product single_square mont_settle",
                    bits);
    }
    cs_fact_text(sink, "symbols", list);
}
