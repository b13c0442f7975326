/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory adapter: the table of operations, made once. Every reduction with every limb size; every way to
 * walk the exponent with the widest limbs, those that people would choose with the rest.
 */
#include "adapter.h"

#include <stdio.h>

enum { MAX_ROWS = 4000, MAX_TEXT = 56, FULL_WINDOWS = 7 };

static const char PRIVATE[] = "modexp/private", PUBLIC[] = "modexp/public";
static cs_op ops[MAX_ROWS];
static lab_row rows[MAX_ROWS];
static char impls[MAX_ROWS][MAX_TEXT], params[MAX_ROWS][MAX_TEXT];
static size_t n_rows;

static const unsigned sizes[] = {512, 1024, 2048, 3072, 4096, 8192};
static const unsigned product_sizes[] = {512, 1024, 2048, 4096};
static const unsigned plain_sizes[] = {2048, 4096};
static const char *const reduction_names[ROW_KINDS] = {
    [MODEXP_BASIC] = "basic", [MODEXP_BARRETT] = "barrett", [MODEXP_CIOS] = "cios", [MODEXP_FIOS] = "fios",
    [MODEXP_MONT] = "mont",   [MODEXP_MONT_K] = "mont.k",   [ROW_IFMA] = "ifma",
#if MODEXP_HAS_UMAAL
    [MODEXP_UMAAL] = "umaal",
#endif
};

static const struct {
    const modexp_backend *backend, *counted;
} limbs[] = {
#if MODEXP_HAS_64
    {.backend = &modexp_64, .counted = &modexp_64_counted},
#endif
    {.backend = &modexp_32, .counted = &modexp_32_counted},
    {.backend = &modexp_31, .counted = &modexp_31_counted},
    {.backend = &modexp_15, .counted = &modexp_15_counted},
};

/* What a lane named `default` takes: constant-time, with the window that was fastest for exponents of that length. */
static modexp_method recommended(unsigned bits)
{
    const unsigned window = bits < 768 ? 4 : bits < 3072 ? 5 : 6;

    return (modexp_method){.reduction = MODEXP_MONT_K, .scan = MODEXP_FIXED_CT, .window = window};
}

/* The operation `id` for the row's lengths; `crt` is "yes" or "no" for private exponentiations, else NULL. */
static void add(const char *id, const char *crt, const char *impl, const lab_row *row, const lab_functions *f)
{
    cs_op *op = &ops[n_rows];

    if (n_rows == MAX_ROWS) {
        return;
    }
    snprintf(params[n_rows], MAX_TEXT, "bits=%u%s%s", row->bits, crt != NULL ? ",crt=" : "", crt != NULL ? crt : "");
    snprintf(impls[n_rows], MAX_TEXT, "%s", impl);
    rows[n_rows] = *row;
    *op = (cs_op){
        .id = id,
        .impl = impls[n_rows],
        .name = impls[n_rows],
        .setup = f->setup,
        .call = f->call,
        .teardown = f->teardown,
        .param = &rows[n_rows],
        .unavailable = f->unavailable,
        .finish = f->finish,
        .facts = f->facts,
        .params = params[n_rows],
    };
    n_rows++;
}

static void scan_name(char *text, size_t size, modexp_method method)
{
    static const char *const formats[MODEXP_SCANS] = {
        [MODEXP_FAST] = "fast",        [MODEXP_LADDER] = "ladder", [MODEXP_FIXED] = "fw%u",
        [MODEXP_FIXED_CT] = "fw%u.ct", [MODEXP_SLIDING] = "rm%u",
    };

    snprintf(text, size, formats[method.scan], method.window);
}

/* The exponentiations of one row kind at one size: with CRT where each prime has half of the bits. */
static void add_power(lab_row row, const char *impl, int crt, const char *id)
{
    const char *with = id == PUBLIC ? NULL : crt ? "yes" : "no";

    if (row.backend != NULL) {
        add(id, with, impl, &row, crt ? &lab_crt : &lab_power);
    } else {
        add(id, with, impl, &row, crt ? &lab_ifma_crt : &lab_ifma_power);
    }
}

static int is_full(const lab_row *row)
{
    return row->backend == &MODEXP_WIDEST && row->reduction != MODEXP_FIOS;
}

static int is_wanted(const lab_row *row)
{
    unsigned k = row->method.window;

    switch (row->method.scan) {
    case MODEXP_FIXED:
    case MODEXP_SLIDING:
        return row->backend != NULL && (is_full(row) || k == 4 || k == 5);
    case MODEXP_FIXED_CT:
        return is_full(row) || k == 5 || (row->backend == NULL && k == 4);
    case MODEXP_LADDER:
        return row->backend != NULL;
    default:
        return 1;
    }
}

static void add_private(lab_row row, int crt)
{
    char scan[16], impl[MAX_TEXT];

    for (unsigned s = 0; s < MODEXP_SCANS; s++) {
        unsigned windows = s == MODEXP_FAST || s == MODEXP_LADDER ? 0 : FULL_WINDOWS;

        for (unsigned k = windows == 0 ? 0 : 1; k <= windows; k++) {
            row.method.scan = (modexp_scan)s;
            row.method.window = k;
            if (!is_wanted(&row)) {
                continue;
            }
            scan_name(scan, sizeof(scan), row.method);
            snprintf(impl, sizeof(impl), "%s-%u-%s", reduction_names[row.reduction],
                     row.backend != NULL ? row.backend->limb_bits : 52, scan);
            add_power(row, impl, crt, PRIVATE);
        }
    }
}

/* All rows of one reduction with one limb size. */
static void add_kind(lab_row row)
{
    char impl[MAX_TEXT];
    unsigned limb = row.backend != NULL ? row.backend->limb_bits : 52;
    int form = row.reduction != MODEXP_BASIC && row.reduction != MODEXP_BARRETT;

    for (size_t i = 0; i < CS_COUNT(sizes); i++) {
        row.bits = row.key_bits = sizes[i];
        add_private(row, 0);
        row.method = (modexp_method){.reduction = row.method.reduction, .scan = MODEXP_FAST};
        snprintf(impl, sizeof(impl), "%s-%u-fast", reduction_names[row.reduction], limb);
        add_power(row, impl, 0, PUBLIC);
        if (sizes[i] != 512) {
            row.key_bits = sizes[i] / 2;
            add_private(row, 1);
        }
    }
    snprintf(impl, sizeof(impl), "%s-%u", reduction_names[row.reduction], limb);
    for (size_t i = 0; form && i < CS_COUNT(product_sizes); i++) {
        row.bits = row.key_bits = product_sizes[i];
        add("bignum/montmul", NULL, impl, &row, row.backend != NULL ? &lab_product : &lab_ifma_product);
    }
    for (size_t i = 0; !form && i < CS_COUNT(plain_sizes); i++) {
        row.bits = row.key_bits = plain_sizes[i];
        add("bignum/mod-mul", NULL, impl, &row, &lab_product);
        add("bignum/mod-sqr", NULL, impl, &row, &lab_square);
    }
}

static void add_default(void)
{
    lab_row row = {.backend = limbs[0].backend, .counted = limbs[0].counted, .reduction = MODEXP_MONT_K};

    for (size_t i = 0; i < CS_COUNT(sizes); i++) {
        row.bits = row.key_bits = sizes[i];
        row.method = recommended(row.key_bits);
        add_power(row, "default", 0, PRIVATE);
        row.method = (modexp_method){.reduction = MODEXP_MONT_K, .scan = MODEXP_FAST};
        add_power(row, "default", 0, PUBLIC);
        if (sizes[i] != 512) {
            row.key_bits = sizes[i] / 2;
            row.method = recommended(row.key_bits);
            add_power(row, "default", 1, PRIVATE);
        }
    }
    row.method = (modexp_method){.reduction = MODEXP_MONT_K, .scan = MODEXP_FAST};
    for (size_t i = 0; i < CS_COUNT(product_sizes); i++) {
        row.bits = row.key_bits = product_sizes[i];
        add("bignum/montmul", NULL, "default", &row, &lab_product);
    }
    row.method.reduction = MODEXP_BARRETT;
    row.reduction = MODEXP_BARRETT;
    for (size_t i = 0; i < CS_COUNT(plain_sizes); i++) {
        row.bits = row.key_bits = plain_sizes[i];
        add("bignum/mod-mul", NULL, "default", &row, &lab_product);
        add("bignum/mod-sqr", NULL, "default", &row, &lab_square);
    }
}

static int has_kind(unsigned reduction, const modexp_backend *backend)
{
#if MODEXP_HAS_UMAAL
    return reduction != MODEXP_UMAAL || backend == &modexp_32;
#else
    (void)reduction;
    (void)backend;
    return 1;
#endif
}

const cs_op *lab_rows(size_t *count)
{
    if (n_rows == 0) {
        add_default();
        for (unsigned reduction = 0; reduction < MODEXP_REDUCTIONS; reduction++) {
            for (size_t i = 0; i < CS_COUNT(limbs); i++) {
                if (!has_kind(reduction, limbs[i].backend)) {
                    continue;
                }
                add_kind((lab_row){
                    .method = {.reduction = (modexp_reduction)reduction},
                    .backend = limbs[i].backend,
                    .counted = limbs[i].counted,
                    .reduction = reduction,
                });
            }
        }
        add_kind((lab_row){.reduction = ROW_IFMA});
    }
    *count = n_rows;
    return ops;
}
