/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this folder offer each other.
 */
#ifndef CS_BARE_H
#define CS_BARE_H

#include <stdbool.h>

/* start.c: the program is over. */
_Noreturn void cs_stop(int status);
/* files.c: whether nobody asks any more; every file of the host closed. */
bool cs_input_ended(void);
void cs_files_close(void);
/* system.c: the end of what the heap has used. */
char *cs_heap_used(void);

#endif
