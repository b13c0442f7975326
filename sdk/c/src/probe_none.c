/* SPDX-License-Identifier: Apache-2.0
 *
 * Any other instruction set or compiler: no reference counter and no probes, null in the replies.
 */
#include "sdk.h"

#if !((defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)) && defined(__GNUC__)) || defined(CS_POSIX_ONLY)

const cs_isa cs_isa_here = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};

#endif
