/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs of NSS share: the library begun without a database, and bytes as it takes them.
 */
#ifndef FOOTPRINT_NSS_OWN_H
#define FOOTPRINT_NSS_OWN_H

#include "../program.h"

#include <keyhi.h>
#include <nss.h>
#include <pk11pub.h>
#include <secitem.h>

static inline int begun(void)
{
    return NSS_NoDB_Init(NULL) == SECSuccess;
}

static inline SECItem item(span of)
{
    return (SECItem){siBuffer, of.data, (unsigned)of.len};
}

#endif
