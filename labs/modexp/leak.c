/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: labels. The tests hold every one against the machine code (README.md).
 */
#include "leak.h"

#define NOTHING "constant-time by construction"
/* Knuth's division corrects its digits by branches, and divides by an instruction whose time depends on its operands:
 * what the exponent selects and what the base is show in the numbers that are divided. */
#define DIVISION "values by branches and operands of the division"

static const char *const scan_leaks[MODEXP_SCANS][2] = {
    [MODEXP_FAST] = {"exponent bits by branch", "exponent bits by branch; " DIVISION},
    [MODEXP_LADDER] = {NOTHING, DIVISION},
    [MODEXP_FIXED] = {"exponent windows by table address, windows of zeros by branch",
                      "exponent windows by table address, windows of zeros by branch; " DIVISION},
    [MODEXP_FIXED_CT] = {NOTHING, DIVISION},
    [MODEXP_SLIDING] = {"exponent windows by branch and table address",
                        "exponent windows by branch and table address; " DIVISION},
};

const char *modexp_leak_of_power(unsigned reduction, modexp_scan scan)
{
    if (reduction == ROW_IFMA && scan == MODEXP_FIXED) {
        return "exponent windows by table address"; /* it multiplies for windows of zeros too */
    }
    return scan_leaks[scan][reduction == MODEXP_BASIC];
}

const char *modexp_leak_of_product(unsigned reduction)
{
    return reduction == MODEXP_BASIC ? DIVISION : NOTHING;
}
