/* SPDX-License-Identifier: Apache-2.0
 *
 * What a client on a board has in place of a network.
 */
#ifndef FOOTPRINT_BOARD_H
#define FOOTPRINT_BOARD_H

enum { BOARD_TRANSPORT = 3 }; /* a descriptor: bytes of the connection, both ways */

#endif
