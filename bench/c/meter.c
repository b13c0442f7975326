/* SPDX-License-Identifier: Apache-2.0
 *
 * What others take of a core: `meter SECONDS` repeats a fixed loop in batches of about 20 us and prints how many times
 * as long they took on average as the quickest tenth of them did: 1.00 on a core that nobody disturbs. Eight chains
 * that do not wait for each other, so that a neighbour on the other thread of the core is felt.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST 500000
#define STEPS 8000

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t chain[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void batch(void)
{
    for (int i = 0; i < STEPS; i++)
        for (int k = 0; k < 8; k++)
            chain[k] = (chain[k] ^ (chain[k] >> 7)) + 0x9e3779b97f4a7c15u;
    __asm__ volatile("" : : "r"(chain) : "memory");
}

static double took[MOST];

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 0.0, sum = 0.0;
    size_t count = 0;
    if (!(seconds > 0.0))
        return fputs("usage: meter SECONDS\n", stderr), 2;
    for (double began = now(), last = began, next; last - began < seconds && count < MOST; last = next) {
        batch();
        next = now();
        took[count++] = next - last;
        sum += next - last;
    }
    qsort(took, count, sizeof *took, ascending);
    printf("%.4f\n", sum / ((double)count * took[count / 10]));
    return 0;
}
