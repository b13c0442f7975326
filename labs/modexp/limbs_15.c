/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: everything with limbs of 15 bits.
 */
#define LIMB_BITS 15
#include "limbs.h"
