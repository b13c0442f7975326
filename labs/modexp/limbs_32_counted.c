/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: everything with limbs of 32 bits, counting what it does. Never timed.
 */
#define LIMB_BITS 32
#define LIMB_COUNTED 1
#include "limbs.h"
