/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of sdk.h: what a case is called under, and what the SDK does for it.
 */
#ifndef CS_CONDITIONS_H
#define CS_CONDITIONS_H

typedef struct cs_slot cs_slot;

/* Conditions that a case is called under, which are parameters like others in `prepare`. */
typedef struct cs_conditions {
    bool fresh_key; /* key=fresh: every call takes the next key of a ring first */
    bool cold;      /* cache=cold: before every call caches are emptied, as far as that can be done */
    bool in_place;  /* place=same: the output is where `msg` is */
    size_t offset;  /* offset=N: bytes that inputs and output lie behind a multiple of 64 */
} cs_conditions;

/* ---- conditions.c: what a case is called under --------------------------------------------------------------------
 */

/* Reads the conditions among the parameters. NULL, or why this row cannot be called under them. */
const char *cs_conditions_read(const cs_op *op, const cs_shape *shape, cs_conditions *under);
bool cs_conditions_same(const cs_conditions *a, const cs_conditions *b);
/* Whether the calls of a case are timed one by one, because something has to be done before each. */
bool cs_timed_apart(const cs_slot *slot);
/* place=same: puts `msg` back where the last call left its output. */
void cs_message_again(cs_slot *slot);

typedef struct cs_turn {
    cs_slot *const *slot; /* of a ring, or one */
    size_t count;
    bool evicts;
} cs_turn;

/* A cs_ready: messages put back, caches emptied where that is asked for, and what the SDK itself reads fetched again.
 */
void cs_turn_ready(void *turn);

/* ---- keys.c: the ring of keys of key=fresh ------------------------------------------------------------------------
 */

#define CS_MAX_KEYS 64

/* The inputs of a case with one of its keys. */
typedef struct cs_key {
    cs_span usual[7]; /* key, iv, aad, msg, tag, pub, sig */
    cs_input_span input[CS_INPUTS_MAX];
    bool own[CS_INPUTS_MAX]; /* in `arena`; the others are those of the first key */
    uint32_t crc32[CS_INPUTS_MAX];
    uint8_t *arena; /* NULL of the first key */
    size_t arena_len;
} cs_key;

/* Makes the inputs of the slot its first key, and lets every call take the next one. False without memory. */
bool cs_keys_begin(cs_slot *slot);
/* The whole of `add-key` but the reply. NULL, or the error's code. */
const char *cs_keys_add(cs_slot *slot, const cs_request *request, const char **detail);
void cs_keys_free(cs_slot *slot);
/* The name of an input that is not as it was given, or beside which something was written; NULL if there is none. */
const char *cs_keys_changed(const cs_slot *slot, bool contents);

/* ---- evict.c ------------------------------------------------------------------------------------------------------
 */

/* Looks for what has to be evicted beside the inputs: code and tables of everything that is mapped. Before each turn
 * with cache=cold, since processes touch more as they go. False without memory. */
bool cs_evict_survey(void);
/* Writes the lines of a stretch of memory back and takes them out of all caches, where there is an instruction for it.
 */
void cs_evict_range(const void *from, size_t len);
/* The same for code and tables; then reads more memory than the second-level cache holds, for what is not known. */
void cs_evict_all(void);

#endif
