/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs every row of the modexp laboratory under valgrind's memcheck with a secret marked undefined: memcheck reports
 * each conditional jump and each address that depends on it. Usage: modexp_secrets LIMB_BITS [ROW]. One line a run:
 *
 *     ROW KIND LIMBS SECRET FINDINGS HIDDEN|LOST LABEL
 *
 * KIND: power, crt, product; LIMBS: of the modulus or of each prime; LOST: the result does not depend on what was
 * marked, so that no findings mean nothing. Ends with status 3 without memcheck.
 */
#include "lab.h"
#include "leak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

enum { EXPONENT_BYTES = 2, LEAKY_LIMBS = 2, MAX_SECRETS = 2, SHORT_SHAPES = 2, PRODUCTS_ONLY = 2, USUAL_WINDOW = 5 };

/* Eight and 64 limbs: gathered and reduced in whole strips; 64: Karatsuba for squares too. 11 and 67: odd halves, and
 * limbs left over everywhere. The odd ones do not fill their top limb, so that results are settled twice. */
static const unsigned shapes[] = {8, 11, 64, 67};

static const modexp_backend *const backends[] = {&modexp_15, &modexp_31, &modexp_32, &modexp_64};
static const char *const reductions[] = {"basic", "barrett", "cios", "fios", "mont", "mont.k"};
static const char *const scans[] = {"fast", "ladder", "fw%u", "fw%u.ct", "rm%u"};
static uint64_t seed = 1;
static const char *only; /* the row that is asked for; NULL: all */

static void *block(size_t size)
{
    void *p = calloc(1, size);

    if (p == NULL) {
        exit(2);
    }
    return p;
}

/* Any bytes; with `odd` those of a modulus of `bits` bits. */
static uint8_t *number(size_t len, unsigned bits, int odd)
{
    uint8_t *bytes = block(len);

    for (size_t i = 0; i < len; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(seed >> 56);
    }
    if (odd) {
        unsigned top = (bits - 1) % 8;

        bytes[0] = (uint8_t)((bytes[0] & ((2u << top) - 1)) | 1u << top);
        bytes[len - 1] |= 1;
    }
    return bytes;
}

static int is_undefined(const void *data, size_t len)
{
    uint8_t *bits = block(len);
    int any = 0;

    (void)VALGRIND_GET_VBITS(data, bits, len);
    for (size_t i = 0; i < len; i++) {
        any |= bits[i];
    }
    free(bits);
    return any != 0;
}

/* What is common to the runs of one row at one length. */
typedef struct run {
    const modexp_backend *backend;
    modexp_method method;
    unsigned bits;
    size_t n;
    char name[40];
} run;

/* Numbers that are marked together. */
typedef struct secret {
    const char *name;
    struct {
        void *data;
        size_t len;
    } part[MAX_SECRETS];
} secret;

static unsigned long mark(const secret *s, int defined)
{
    for (int i = 0; i < MAX_SECRETS; i++) {
        if (defined) {
            (void)VALGRIND_MAKE_MEM_DEFINED(s->part[i].data, s->part[i].len);
        } else {
            (void)VALGRIND_MAKE_MEM_UNDEFINED(s->part[i].data, s->part[i].len);
        }
    }
    return VALGRIND_COUNT_ERRORS;
}

static void say(const run *r, const char *kind, const secret *s, unsigned long before, const void *result, size_t len,
                const char *label)
{
    unsigned long found = VALGRIND_COUNT_ERRORS - before;

    printf("%s %s %zu %s %lu %s %s\n", r->name, kind, r->n, s->name, found,
           is_undefined(result, len) ? "HIDDEN" : "LOST", label);
    fflush(stdout);
    mark(s, 1);
}

static void *new_key(const run *r, int crt)
{
    size_t len = (r->bits + 7) / 8, size = r->backend->key_bytes(r->method.reduction, r->bits, crt);
    uint8_t *bytes = number(len, r->bits, 1);
    void *key = block(size);

    if (r->backend->key_set(key, size, r->method.reduction, bytes, len, crt) != NULL) {
        exit(2);
    }
    free(bytes);
    return key;
}

/* Below the modulus, or the product of the primes: the top byte is left zero. */
static void *new_limbs(const run *r, size_t n)
{
    size_t len = n * r->backend->limb_bits / 8 - 1;
    uint8_t *bytes = number(len, 0, 0);
    void *limbs = block(n * r->backend->limb_bytes);

    r->backend->load(limbs, n, bytes, len);
    free(bytes);
    return limbs;
}

static void power(const run *r, const char *label, int with_base)
{
    size_t size = r->backend->arena_bytes(r->method, r->bits), len = r->n * r->backend->limb_bytes;
    void *key = new_key(r, 0), *base = new_limbs(r, r->n), *memory = block(size);
    uint8_t *exponent = number(EXPONENT_BYTES, 0, 0);
    const secret secrets[] = {{"exponent", {{exponent, EXPONENT_BYTES}}}, {"base", {{base, len}}}};

    for (int i = 0; i < 1 + with_base; i++) {
        modexp_arena arena = {memory, size, 0, 0};
        unsigned long before = mark(&secrets[i], 0);
        const void *result = r->backend->power(r->method, key, base, exponent, EXPONENT_BYTES, &arena);

        say(r, "power", &secrets[i], before, result, len, label);
    }
    free(key);
    free(base);
    free(memory);
    free(exponent);
}

static void crt(const run *r, const char *label, int with_base)
{
    size_t size = r->backend->crt_arena_bytes(r->method, r->bits), len = 2 * r->n * r->backend->limb_bytes;
    void *keys[2] = {new_key(r, 1), new_key(r, 1)}, *base = new_limbs(r, 2 * r->n), *inverse = new_limbs(r, r->n);
    void *memory = block(size);
    uint8_t *dp = number(EXPONENT_BYTES, 0, 0), *dq = number(EXPONENT_BYTES, 0, 0);
    const void *const both[2] = {keys[0], keys[1]};
    const uint8_t *const exponents[2] = {dp, dq};
    const secret secrets[] = {{"exponent", {{dp, EXPONENT_BYTES}, {dq, EXPONENT_BYTES}}}, {"base", {{base, len}}}};

    for (int i = 0; i < 1 + with_base; i++) {
        modexp_arena arena = {memory, size, 0, 0};
        unsigned long before = mark(&secrets[i], 0);
        const void *result = r->backend->crt_power(r->method, both, inverse, base, exponents, EXPONENT_BYTES, &arena);

        say(r, "crt", &secrets[i], before, result, len, label);
    }
    free(keys[0]);
    free(keys[1]);
    free(base);
    free(inverse);
    free(memory);
    free(dp);
    free(dq);
}

static void product(const run *r)
{
    size_t len = r->n * r->backend->limb_bytes;
    void *key = new_key(r, 0), *scratch = block(r->backend->scratch_bytes(r->method.reduction, r->bits));
    void *a = new_limbs(r, r->n), *b = new_limbs(r, r->n), *result = block(len);
    const secret both = {"operands", {{a, len}, {b, len}}};
    unsigned long before = mark(&both, 0);

    r->backend->product(r->method.reduction, result, a, b, key, scratch);
    say(r, "product", &both, before, result, len, modexp_leak_of_product(r->method.reduction));
    before = mark(&both, 0);
    r->backend->square(r->method.reduction, result, a, key, scratch);
    say(r, "square", &both, before, result, len, modexp_leak_of_product(r->method.reduction));
    free(key);
    free(scratch);
    free(a);
    free(b);
    free(result);
}

static run run_of(const modexp_backend *backend, modexp_method method, size_t n)
{
    run r = {backend, method, (unsigned)n * backend->limb_bits - (n % 2 != 0 ? 5 : 0), n, ""};

    return r;
}

/* A row that hides everything is run at the short lengths, with the usual window, which is a number to the same code,
 * at the long ones too. One that does not is run at a length of its own: every load from an address that depends on the
 * secret is a finding, and takes its time. */
static void exponentiations(const modexp_backend *backend, modexp_method method)
{
    const char *label = modexp_leak_of_power(method.reduction, method.scan);
    int hides = strncmp(label, "constant-time", 13) == 0;
    size_t all =
        method.window == 0 || method.window == USUAL_WINDOW ? sizeof(shapes) / sizeof(shapes[0]) : SHORT_SHAPES;

    for (size_t i = 0; i < (hides ? all : 1); i++) {
        if (i == PRODUCTS_ONLY) {
            continue;
        }
        run r = run_of(backend, method, hides ? shapes[i] : LEAKY_LIMBS);
        int at = snprintf(r.name, sizeof(r.name), "%s-%u-", reductions[method.reduction], backend->limb_bits);

        snprintf(r.name + at, sizeof(r.name) - (size_t)at, scans[method.scan], method.window);
        if (only == NULL || strcmp(only, r.name) == 0) {
            power(&r, label, hides && i < SHORT_SHAPES);
            crt(&r, label, hides && i < SHORT_SHAPES);
        }
    }
}

static void single_products(const modexp_backend *backend, modexp_reduction reduction)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        run r = run_of(backend, (modexp_method){reduction, MODEXP_FAST, 0}, shapes[i]);

        snprintf(r.name, sizeof(r.name), "%s-%u", reductions[reduction], backend->limb_bits);
        if (only == NULL) {
            product(&r);
        }
    }
}

int main(int argc, char **argv)
{
    if (!RUNNING_ON_VALGRIND || VALGRIND_MAKE_MEM_DEFINED(argv, sizeof(*argv)) == 0) {
        puts("not under memcheck");
        return 3;
    }
    only = argc > 2 ? argv[2] : NULL;
    for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
        if (argc < 2 || backends[i]->limb_bits != (unsigned)atoi(argv[1])) {
            continue;
        }
        for (int r = 0; r < MODEXP_REDUCTIONS; r++) {
            single_products(backends[i], (modexp_reduction)r);
            for (int s = 0; s < MODEXP_SCANS; s++) {
                unsigned last = s == MODEXP_FAST || s == MODEXP_LADDER ? 0 : MODEXP_MAX_WINDOW;

                for (unsigned k = last == 0 ? 0 : 1; k <= last; k++) {
                    exponentiations(backends[i], (modexp_method){(modexp_reduction)r, (modexp_scan)s, k});
                }
            }
        }
        return 0;
    }
    puts("no such limb");
    return 2;
}
