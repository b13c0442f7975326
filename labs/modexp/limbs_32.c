/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: everything with limbs of 32 bits.
 */
#define LIMB_BITS 32
#include "limbs.h"
