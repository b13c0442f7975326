/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs an exponentiation of the IFMA back end instruction by instruction (the trap flag; Intel SDM 3, 18.3.1.4), once
 * for each of some secrets, and prints a hash of what went by: the address of every instruction and of every operand in
 * memory. Usage: modexp_steps TABLE KIND BITS EXPONENT_BITS WINDOW CONSTANT_TIME MOST, where KIND is `power` or `pair`
 * (whose exponents are as long as the moduli), and MOST the number of steps after which it goes on unseen (0: none).
 * One line a secret:
 *
 *     SECRET STEPS HASH RESULT
 *
 * TABLE has a line for each instruction with an operand in memory: its address, then base, index (numbers as in
 * <sys/ucontext.h>, -1: none) and scale. Ends with status 77 where the CPU cannot run the back end.
 */
#include "ifma.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { MAX_LIMBS = 128, MAX_OPERANDS = 2, TRAP_FLAG = 0x100 };

/* Zeros, ones, one bit, any; for bases 0, 1, a factor of the modulus, any. Every pair is another number twice over. */
static const unsigned char secrets[][2] = {{0, 3}, {1, 3}, {2, 3}, {3, 3}, {3, 3}, {1, 2}, {3, 0}, {3, 1}};

typedef struct operand {
    signed char base, index;
    unsigned char scale;
} operand;

static struct {
    operand operands[MAX_OPERANDS];
    unsigned char count;
} *table;
static uintptr_t first_code, last_code;
static volatile uint64_t steps, hash, most;
static unsigned bits, limbs;

static void add(uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
}

static void on_step(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uintptr_t at = (uintptr_t)registers[REG_RIP];

    (void)number;
    (void)info;
    steps++;
    if (steps == most) {
        registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    }
    add(at);
    if (at < first_code || at > last_code) {
        return;
    }
    for (int i = 0; i < table[at - first_code].count; i++) {
        const operand *o = &table[at - first_code].operands[i];
        uint64_t address = o->base < 0 ? 0 : (uint64_t)registers[o->base];

        add(o->index < 0 ? address : address + (uint64_t)registers[o->index] * o->scale);
    }
}

static void read_table(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned long at;
    int base, index, scale;

    if (file == NULL || fscanf(file, "%lx %lx", &first_code, &last_code) != 2) {
        exit(2);
    }
    table = calloc(last_code - first_code + 1, sizeof(*table));
    while (table != NULL && fscanf(file, "%lx %d %d %d", &at, &base, &index, &scale) == 4) {
        const unsigned char place = table[at - first_code].count++;

        if (place == MAX_OPERANDS) {
            exit(2);
        }
        table[at - first_code].operands[place] = (operand){(signed char)base, (signed char)index, (unsigned char)scale};
    }
    fclose(file);
}

static uint64_t any(void)
{
    static uint64_t seed = 1;

    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed ^ seed >> 31;
}

static void *block(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);

    if (p == NULL) {
        exit(2);
    }
    memset(p, 0, size);
    return p;
}

/* 2^bits - 1, of which 2^(bits / 2) + 1 is a factor, or any. */
static void *a_key(int which)
{
    uint8_t bytes[MAX_LIMBS * 8];
    void *key = block(modexp_ifma_key_bytes(bits));

    for (unsigned i = 0; i < bits / 8; i++) {
        bytes[i] = which == 0 ? 0xff : (uint8_t)any();
    }
    bytes[0] |= 0x80;
    bytes[bits / 8 - 1] |= 1;
    if (modexp_ifma_set_modulus(key, modexp_ifma_key_bytes(bits), bytes, bits / 8) != 0) {
        exit(2);
    }
    return key;
}

static void an_exponent(uint64_t *e, unsigned which)
{
    for (unsigned i = 0; i < MAX_LIMBS; i++) {
        e[i] = which == 1 ? UINT64_MAX : which == 3 ? any() : 0;
    }
    e[0] |= which == 2;
}

static void a_base(uint64_t *x, unsigned which)
{
    memset(x, 0, limbs * sizeof(*x));
    for (unsigned i = 0; which == 3 && i < limbs; i++) {
        x[i] = any();
    }
    x[limbs - 1] >>= 2;
    if (which == 1 || which == 2) {
        x[0] = 1;
        x[bits / 128] |= which == 2 ? UINT64_C(1) << bits / 2 % 64 : 0;
    }
}

static inline void step(int on)
{
    if (on) {
        __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq" ::: "memory", "cc");
    } else {
        __asm__ volatile("pushfq; andl $~0x100, (%%rsp); popfq" ::: "memory", "cc");
    }
}

int main(int argc, char **argv)
{
    static uint64_t base[2][MAX_LIMBS], exponent[2][MAX_LIMBS + 1], result[2][MAX_LIMBS];
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    const char *reason = modexp_ifma_unavailable();

    if (reason != NULL) {
        printf("unavailable: %s\n", reason);
        return 77;
    }
    if (argc != 8) {
        return 2;
    }
    const int pair = strcmp(argv[2], "pair") == 0, constant_time = atoi(argv[6]);
    const unsigned length = (unsigned)atoi(argv[4]), window = (unsigned)atoi(argv[5]);

    bits = (unsigned)atoi(argv[3]);
    limbs = bits / 64;
    most = strtoull(argv[7], NULL, 10);
    read_table(argv[1]);
    sigaction(SIGTRAP, &action, NULL);

    const size_t size = modexp_ifma_arena_bytes(bits, window, constant_time, pair);
    const modexp_ifma_arena arena = {block(size), size};
    const void *const keys[2] = {a_key(0), a_key(1)};

    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
        int status;

        for (unsigned p = 0; p < 2; p++) {
            an_exponent(exponent[p], secrets[i][0]);
            a_base(base[p], secrets[i][1]);
        }
        memset(arena.base, 0, size);
        steps = hash = 0;
        step(1);
        status =
            pair ? modexp_ifma_power_x2(
                       (uint64_t *const[]){result[0], result[1]}, (const uint64_t *const[]){base[0], base[1]},
                       (const uint64_t *const[]){exponent[0], exponent[1]}, keys, window, constant_time, arena)
                 : modexp_ifma_power(result[0], base[0], exponent[0], length, keys[0], window, constant_time, arena);
        step(0);
        if (status != 0) {
            return 2;
        }
        printf("%u/%u %llu %016llx %016llx\n", secrets[i][0], secrets[i][1], (unsigned long long)steps,
               (unsigned long long)hash, (unsigned long long)(result[0][0] ^ result[1][0]));
    }
    return 0;
}
