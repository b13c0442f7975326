/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of this folder share.
 */
#ifndef CS_BARE_H
#define CS_BARE_H

#include <stdbool.h>

/* start.c: the program is over. */
_Noreturn void cs_stop(int status);
/* files.c: whether the requests have ended; and: closes every file of the host. */
bool cs_input_ended(void);
void cs_files_close(void);
/* system.c: the end of the used part of the heap. */
char *cs_heap_used(void);

#endif
