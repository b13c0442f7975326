/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: everything with limbs of 64 bits, where the compiler has a product for them, counting what it
 * does. Never timed.
 */
#include "lab.h"

#if MODEXP_HAS_64
#define LIMB_BITS 64
#define LIMB_COUNTED 1
#include "limbs.h"
#endif
