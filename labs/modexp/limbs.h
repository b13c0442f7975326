/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: the parts in the order in which they build on each other. Included once for each limb size.
 */
#include "limb.h"

#include "linear.h"
#include "modulus.h"

#include "mul_school.h"
#include "mul_comba.h"
#include "sqr_comba.h"
#include "mul_karatsuba.h"

#include "div_knuth.h"
#include "reduce_barrett.h"
#include "mont_rows.h"
#include "mont_columns.h"
#if MODEXP_HAS_UMAAL && LIMB_BITS == 32
#include "mont_umaal.h"
#endif
#include "constants.h"
#include "reducers.h"

#include "exponent.h"
#include "scan_binary.h"
#include "scan_fixed.h"
#include "scan_sliding.h"
#include "power.h"
