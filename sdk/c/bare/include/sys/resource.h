/* SPDX-License-Identifier: Apache-2.0
 *
 * Resources that a process used: not counted here.
 */
#ifndef CS_BARE_RESOURCE_H
#define CS_BARE_RESOURCE_H

#define RUSAGE_SELF 0

struct rusage {
    long ru_maxrss;
};

int getrusage(int who, struct rusage *usage);

#endif
