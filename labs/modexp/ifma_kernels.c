/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory, IFMA back end: the lengths for which there is code, and the choice among them.
 *
 * Lengths are lanes: limbs without the head. 8, 20, 28, 40, 60, 80, 160 fit moduli of 512, 1024, 1536, 2048, 3072, 4096
 * and 8192 bits; other lengths use the next longer one. IFMA_FRESH is set where it was faster on a Zen 4 core: where
 * one short number leaves the multipliers waiting.
 */
#if defined(__x86_64__) /* elsewhere: without_ifma.c */

#include "ifma_carry.h"

#define IFMA_NAME _8
#define IFMA_ZMM 1
#define IFMA_HALF 0
#define IFMA_PAIR 1
#define IFMA_FRESH 1
#include "ifma_kernel.h"
#define IFMA_NAME _20
#define IFMA_ZMM 2
#define IFMA_HALF 1
#define IFMA_PAIR 1
#define IFMA_FRESH 1
#include "ifma_kernel.h"
#define IFMA_NAME _28
#define IFMA_ZMM 3
#define IFMA_HALF 1
#define IFMA_PAIR 1
#define IFMA_FRESH 1
#include "ifma_kernel.h"
#define IFMA_NAME _40
#define IFMA_ZMM 5
#define IFMA_HALF 0
#define IFMA_PAIR 1
#define IFMA_FRESH 0
#include "ifma_kernel.h"
#define IFMA_NAME _60
#define IFMA_ZMM 7
#define IFMA_HALF 1
#define IFMA_PAIR 1
#define IFMA_FRESH 0
#include "ifma_kernel.h"
#define IFMA_NAME _80
#define IFMA_ZMM 10
#define IFMA_HALF 0
#define IFMA_PAIR 1
#define IFMA_FRESH 0
#include "ifma_kernel.h"
#define IFMA_NAME _120
#define IFMA_ZMM 15
#define IFMA_HALF 0
#define IFMA_PAIR 1
#define IFMA_FRESH 0
#include "ifma_kernel.h"
#define IFMA_NAME _160
#define IFMA_ZMM 20
#define IFMA_HALF 0
#define IFMA_PAIR 1
#define IFMA_FRESH 0
#include "ifma_kernel.h"
#define IFMA_NAME _8x2
#define IFMA_ZMM 1
#define IFMA_HALF 0
#define IFMA_PAIR 2
#define IFMA_FRESH 0
#include "ifma_kernel.h"
#define IFMA_NAME _20x2
#define IFMA_ZMM 2
#define IFMA_HALF 1
#define IFMA_PAIR 2
#define IFMA_FRESH 0
#include "ifma_kernel.h"
#define IFMA_NAME _28x2
#define IFMA_ZMM 3
#define IFMA_HALF 1
#define IFMA_PAIR 2
#define IFMA_FRESH 0
#include "ifma_kernel.h"
#define IFMA_NAME _40x2
#define IFMA_ZMM 5
#define IFMA_HALF 0
#define IFMA_PAIR 2
#define IFMA_FRESH 0
#include "ifma_kernel.h"

static const ifma_kernel *const singles[] = {&ifma_kernel_8,  &ifma_kernel_20, &ifma_kernel_28,  &ifma_kernel_40,
                                             &ifma_kernel_60, &ifma_kernel_80, &ifma_kernel_120, &ifma_kernel_160};
static const ifma_kernel *const pairs[] = {&ifma_kernel_8x2, &ifma_kernel_20x2, &ifma_kernel_28x2, &ifma_kernel_40x2};

const ifma_kernel *modexp_ifma_kernel(unsigned bits, int pair)
{
    const unsigned lanes = ifma_limbs(bits) - IFMA_HEAD;
    const ifma_kernel *single = NULL;

    for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]) && single == NULL; i++) {
        if (lanes <= 8 * singles[i]->zmm + 4 * singles[i]->half) {
            single = singles[i];
        }
    }
    if (pair == 1) {
        return single;
    }
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (pairs[i]->zmm == single->zmm && pairs[i]->half == single->half) {
            return pairs[i];
        }
    }
    return NULL;
}

#endif
