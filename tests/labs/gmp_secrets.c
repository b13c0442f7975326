/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the lanes of GMP that work on limbs under valgrind's memcheck, with one input after the other marked undefined:
 * memcheck reports each conditional jump and each address that depends on it. Set-up may branch, a call is counted. One
 * line a run:
 *
 *     LANE SECRET FINDINGS HIDDEN|LOST
 *
 * LOST: the result does not depend on what was marked. Ends with status 3 without memcheck.
 */
#include "adapter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

enum { BYTES = 128, PRIME = BYTES / 2, SPANS = 3 };

typedef struct lane {
    const char *name;
    int (*setup)(cs_case *c);
    int (*call)(cs_case *c);
    int (*finish)(cs_case *c);
    void (*teardown)(cs_case *c);
    size_t msg; /* bytes */
    int crt, power;
} lane;

static const lane lanes[] = {
    {"mod-add/mpn", mpn_setup_two, mpn_add_call, mpn_finish, mpn_teardown, 2 * BYTES, 0, 0},
    {"mod-add/mpn_sec", mpn_setup_two, mpn_sec_add_call, mpn_finish, mpn_teardown, 2 * BYTES, 0, 0},
    {"mod-mul/mpn", mpn_setup_two, mpn_mul_call, mpn_finish, mpn_teardown, 2 * BYTES, 0, 0},
    {"mod-mul/mpn_sec", mpn_setup_two, mpn_sec_mul_call, mpn_finish, mpn_teardown, 2 * BYTES, 0, 0},
    {"mod-sqr/mpn", mpn_setup_one, mpn_sqr_call, mpn_finish, mpn_teardown, BYTES, 0, 0},
    {"mod-sqr/mpn_sec", mpn_setup_one, mpn_sec_sqr_call, mpn_finish, mpn_teardown, BYTES, 0, 0},
    {"mod-inv/mpn", mpn_inverse_setup, mpn_inverse_call, mpn_inverse_finish, mpn_quotient_teardown, BYTES, 0, 0},
    {"mod-inv/mpn_sec", mpn_inverse_setup, mpn_sec_inverse_call, mpn_inverse_finish, mpn_quotient_teardown, BYTES, 0,
     0},
    {"div-mod/mpn", mpn_division_setup, mpn_division_call, mpn_division_finish, mpn_quotient_teardown, 2 * BYTES, 0, 0},
    {"div-mod/mpn_sec", mpn_division_setup, mpn_sec_division_call, mpn_division_finish, mpn_quotient_teardown,
     2 * BYTES, 0, 0},
    {"power/mpn_sec", mpn_setup_power, mpn_sec_powm_call, mpn_finish, mpn_teardown, BYTES, 0, 1},
    {"crt/mpn_sec", mpn_crt_setup, mpn_sec_crt_call, mpn_crt_finish, mpn_crt_teardown, BYTES, 1, 1},
};

static uint8_t out[4 * BYTES], msg[2 * BYTES], pub[BYTES], key[5 * PRIME];

static void fill(uint8_t *bytes, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(seed >> 56);
    }
}

/* Operands are below the modulus; both primes have their top bits, and are odd. */
static void inputs(const lane *l)
{
    fill(msg, sizeof msg, 1);
    fill(pub, sizeof pub, 2);
    fill(key, sizeof key, 3);
    pub[0] |= 0xc0;
    pub[BYTES - 1] |= 1;
    msg[0] &= 0x3f;
    msg[l->msg / 2] &= 0x3f;
    for (int i = 0; l->crt && i < 2; i++) {
        key[i * PRIME] |= 0xc0;
        key[(i + 1) * PRIME - 1] |= 1;
    }
}

static int is_undefined(const uint8_t *data, size_t len)
{
    uint8_t bits[sizeof out];
    int any = 0;

    (void)VALGRIND_GET_VBITS(data, bits, len);
    for (size_t i = 0; i < len; i++) {
        any |= bits[i];
    }
    return any != 0;
}

static void run(const lane *l, const char *secret, uint8_t *data, size_t len)
{
    cs_case c = {.out = out, .out_cap = sizeof out, .msg = {msg, l->msg}};
    unsigned long before;
    int status;

    inputs(l);
    memset(out, 0, sizeof out);
    if (l->power) {
        c.key = (cs_span){key, l->crt ? 5 * PRIME : PRIME};
    }
    if (!l->crt) {
        c.pub = (cs_span){pub, BYTES};
    }
    (void)VALGRIND_MAKE_MEM_UNDEFINED(data, len);
    if (l->setup(&c) != CS_OK) {
        exit(4);
    }
    before = VALGRIND_COUNT_ERRORS;
    status = l->call(&c);
    before = VALGRIND_COUNT_ERRORS - before;
    (void)VALGRIND_MAKE_MEM_DEFINED(&status, sizeof status);
    if (status != CS_OK || l->finish(&c) != CS_OK) {
        exit(5);
    }
    printf("%s %s %lu %s\n", l->name, secret, before, is_undefined(out, c.out_len) ? "HIDDEN" : "LOST");
    fflush(stdout);
    l->teardown(&c);
    (void)VALGRIND_MAKE_MEM_DEFINED(data, len);
}

int main(void)
{
    if (!RUNNING_ON_VALGRIND) {
        return 3;
    }
    for (size_t i = 0; i < CS_COUNT(lanes); i++) {
        const lane *l = &lanes[i];

        run(l, "operands", msg, l->msg);
        if (l->crt) {
            run(l, "primes", key, 2 * PRIME);
            run(l, "exponents", key + 2 * PRIME, 2 * PRIME);
            run(l, "inverse", key + 4 * PRIME, PRIME);
        } else if (l->power) {
            run(l, "exponent", key, PRIME);
        }
    }
    return 0;
}
