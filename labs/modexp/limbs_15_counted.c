/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: everything with limbs of 15 bits, counting what it does. Never timed.
 */
#define LIMB_BITS 15
#define LIMB_COUNTED 1
#include "limbs.h"
