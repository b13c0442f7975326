/* SPDX-License-Identifier: Apache-2.0
 *
 * Processor features that a build's mask hides, for libraries whose own switch is a function: one with a variable of
 * the environment reads that itself.
 */
#include "sdk.h"

#include <stdlib.h>

const char *cs_hidden_features(void)
{
    const char *names = getenv("CS_HIDE");
    return names != NULL && names[0] != '\0' ? names : NULL;
}
