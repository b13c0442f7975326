/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: everything with limbs of 64 bits.
 */
#define LIMB_BITS 64
#include "limbs.h"
