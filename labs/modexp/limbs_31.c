/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: everything with limbs of 31 bits.
 */
#define LIMB_BITS 31
#include "limbs.h"
