/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: everything with limbs of 31 bits, counting what it does. Never timed.
 */
#define LIMB_BITS 31
#define LIMB_COUNTED 1
#include "limbs.h"
