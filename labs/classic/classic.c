/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The classic single score: the classes of integer work that the reference test of lelegard/cryptobench does, written
 * anew. On 1024 words of 64 bits, 2048 times: add the neighbour, multiply by the neighbour, subtract the neighbour,
 * subtract it where it is not zero (the loop that the original calls divisions), then shift and XOR both neighbours.
 *
 * Compilers make vectors out of these loops or do not: that is what the score measures, too. `cipherstone machine
 * --classic` shows by how much.
 *
 * Usage: classic ITERATIONS [LOOPS]. Prints the CPU time of each iteration in ns, one a line, and a checksum.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORDS = 1024, LOOPS = 2048 };

static uint64_t words[WORDS];

static void work(uint64_t *w, unsigned loops)
{
    for (unsigned k = 0; k < WORDS; k++) {
        w[k] = UINT64_C(7) * k + 3;
    }
    while (loops-- > 0) {
        for (unsigned k = 1; k < WORDS; k++) {
            w[k - 1] += w[k];
        }
        for (unsigned k = 1; k < WORDS; k++) {
            w[k - 1] *= w[k];
        }
        for (unsigned k = 1; k < WORDS; k++) {
            w[k - 1] -= w[k];
        }
        for (unsigned k = 1; k < WORDS; k++) {
            if (w[k] != 0) {
                w[k - 1] -= w[k];
            }
        }
        /* Each word needs the one before as it is now: a chain, which no compiler can make parallel. */
        for (unsigned k = 2; k < WORDS; k++) {
            w[k - 1] = (w[k - 2] << 3) ^ (w[k] >> 2);
        }
    }
}

static int64_t cpu_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) {
        return -1;
    }
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    const long iterations = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    const long loops = argc > 2 ? strtol(argv[2], NULL, 10) : LOOPS;
    if (iterations < 1 || iterations > 100000 || loops < 1 || loops > 1000000) {
        (void)fprintf(stderr, "usage: classic ITERATIONS [LOOPS]\n");
        return 2;
    }
    for (long i = 0; i < iterations; i++) {
        const int64_t begin = cpu_ns();
        work(words, (unsigned)loops);
        const int64_t end = cpu_ns();
        if (begin < 0 || end < begin) {
            (void)fprintf(stderr, "classic: the CPU clock cannot be read\n");
            return 1;
        }
        printf("%" PRId64 "\n", end - begin);
    }
    uint64_t sum = 0;
    for (unsigned k = 0; k < WORDS; k++) {
        sum = (sum << 7 | sum >> 57) ^ words[k];
    }
    printf("checksum %016" PRIx64 "\n", sum);
    return 0;
}
