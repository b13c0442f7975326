/* SPDX-License-Identifier: Apache-2.0
 *
 * Private to the SDK and its tests: what the files of this folder share. Adapters include cipherstone.h
 * only.
 *
 * A file that needs more than POSIX defines CS_SYSTEM_EXTENSIONS before it includes this header, and states what it
 * does where the extension is missing.
 */
#ifndef CS_SDK_H
#define CS_SDK_H

#if defined(CS_SYSTEM_EXTENSIONS) && !defined(CS_POSIX_ONLY)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _DARWIN_C_SOURCE
#define _DARWIN_C_SOURCE
#endif
#elif !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "../include/cipherstone.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define CS_SDK_NAME "c/2.0"
#define CS_PROTOCOL 2
#define CS_LINE_MAX ((size_t)8 << 20)    /* bytes of a line in either direction, newline included */
#define CS_INPUT_MAX ((size_t)256 << 20) /* bytes of one decoded input; more is unsupported-size */
#define CS_CASES 1024
#define CS_DETAIL_MAX 256

/* ---- request.c: one line into its parts -------------------------------------------------------------------------- */

#define CS_FIELDS_MAX 64

typedef struct cs_field {
    const char *name, *value;
} cs_field;

typedef struct cs_request {
    uint64_t seq; /* 0 if it could not be read */
    const char *verb;
    size_t count;
    cs_field field[CS_FIELDS_MAX]; /* in the order of the line; no name twice */
} cs_request;

/* The value of a key; NULL where it is absent. */
const char *cs_request_value(const cs_request *request, const char *name);
/* Cuts `line` (length `len`, no newline, writable, one byte of room at line[len]) in place. Returns NULL, or why it is
 * a bad request; `seq` is set either way. */
const char *cs_request_parse(char *line, size_t len, cs_request *request);
/* The number before the first space of `line`; 0 if there is none or it does not fit 64 bits. */
uint64_t cs_request_seq(const char *line, size_t len);
/* Decimal digits only, no sign; false on anything else and on overflow. */
bool cs_decimal(const char *text, uint64_t *value);

/* ---- channel.c: the two ends of the conversation ----------------------------------------------------------------- */

enum cs_read { CS_READ_LINE, CS_READ_END, CS_READ_TOO_LONG, CS_READ_NO_MEMORY };

/* Moves both ends to descriptors of their own, points 1 at standard error and 0 at nothing. False if it cannot. */
bool cs_channel_open(void);
/* Next line without its newline, NUL-terminated, valid until the next call. After TOO_LONG and NO_MEMORY the line holds
 * its first bytes, enough for the number. A last line without a newline is not a request. */
enum cs_read cs_channel_read(char **line, size_t *len);
/* False once the reader is gone. */
bool cs_channel_write(const char *bytes, size_t len);

/* ---- reply.c: one JSON object, bounded by CS_LINE_MAX --------------------------------------------------------------
 */

void cs_reply_begin(uint64_t seq);
void cs_reply_string(const char *key, const char *text); /* NULL writes null; bytes that are not UTF-8 become U+FFFD */
void cs_reply_unsigned(const char *key, uint64_t value);
void cs_reply_signed(const char *key, int64_t value);
void cs_reply_number(const char *key, double value); /* six decimals; null if not finite, negative or over 10^12 */
void cs_reply_bool(const char *key, bool value);
void cs_reply_null(const char *key);
void cs_reply_hex(const char *key, const uint8_t *bytes, size_t len);
void cs_reply_array(const char *key);       /* of objects, or of the elements that follow */
void cs_reply_element(uint64_t value);      /* a number in an array */
void cs_reply_element_number(double value); /* the same, as cs_reply_number */
void cs_reply_element_string(const char *text);
void cs_reply_array_end(void);
void cs_reply_object(void);                  /* an element */
void cs_reply_named_object(const char *key); /* the value of a key */
void cs_reply_object_end(void);
/* Sends it, or the reason why it could not be made. False once the reader is gone. */
bool cs_reply_end(void);
/* A whole error reply. */
bool cs_reply_error(uint64_t seq, const char *code, const char *detail);

/* ---- inputs.c: values and checksums --------------------------------------------------------------------------------
 */

enum cs_decode { CS_DECODE_OK, CS_DECODE_MALFORMED, CS_DECODE_TOO_LONG };

/* Whether a value may be file:PATH as well, the bytes of that file: with --once only. */
extern bool cs_values_from_files;
/* Length of what `text` (hex:... or gen:SEED:LENGTH) stands for. */
enum cs_decode cs_value_length(const char *text, size_t *len);
/* Writes the bytes of a value that cs_value_length accepted. */
enum cs_decode cs_value_bytes(const char *text, uint8_t *out, size_t len);
/* `len` bytes of the SplitMix64 stream (Steele, Lea, Flood 2014), words least significant byte first. */
void cs_splitmix64(uint64_t seed, uint8_t *out, size_t len);
/* CRC-32 of ISO-HDLC (polynomial 0xedb88320 reflected), as zlib's crc32(0, ...). */
uint32_t cs_crc32(const uint8_t *bytes, size_t len);

/* ---- clock.c: readings behind a table, so that a test can install a scripted clock --------------------------------
 */

typedef struct cs_clock {
    const char *name;
    clockid_t wall;
    bool has_cpu;
    clockid_t cpu;
    const char *cpu_name;                            /* NULL without has_cpu */
    int (*gettime)(clockid_t id, struct timespec *); /* clock_gettime itself: one indirect call, nothing around it */
    bool (*nivcsw)(int64_t *count);                  /* involuntary context switches of this thread; false if unknown */
} cs_clock;

extern cs_clock cs_clock_now;

/* b - a in nanoseconds, 0 if b is before a; exact as long as the difference fits 63 bits, whatever the readings are. */
uint64_t cs_elapsed_ns(const struct timespec *a, const struct timespec *b);
/* Smallest step seen in 2,000 pairs of readings. */
uint64_t cs_clock_step_ns(void);

/* ---- counter.c: the hardware's cycles ------------------------------------------------------------------------------
 */

const char *cs_counter_open(void); /* its name, or NULL if this process gets none; may be called again */
bool cs_counter_read(uint64_t *value);

/* ---- probe_*.c: one file per instruction set, exactly one of them not empty ----------------------------------------
 */

typedef struct cs_isa {
    const char *probe;       /* name of the instruction set, NULL without the three chains below */
    const char *ref_counter; /* NULL without `ref` */
    uint64_t (*ref)(void);
    void (*chain)(uint64_t blocks);      /* 64 dependent register additions a block */
    void (*throughput)(uint64_t blocks); /* 128 additions a block, in eight independent chains */
    void (*multiply)(uint64_t blocks);   /* 64 dependent multiplications a block */
    void (*tidy)(
        void); /* registers as a caller must leave them, NULL where there is nothing to tidy: see probe_x86_64.c */
} cs_isa;

extern const cs_isa cs_isa_here;

/* probe.c */
typedef struct cs_probe {
    double chain_ns; /* per addition; negative without a probe */
    double tput_ns;
} cs_probe;

/* One reading, about 7 us. The first after other code is led in by a few blocks (`cs_probe_warm`), the rest are not. */
void cs_probe_read(cs_probe *result);
void cs_probe_warm(void);
/* Additions a cycle of a reading; negative without a probe. */
double cs_probe_ipc(const cs_probe *probe);
/* Reads until two readings in a row reach `quiet` additions a cycle and no more than a tenth above, or `wait_ns` have
 * passed; the nanoseconds it took. 0 without a probe. */
uint64_t cs_probe_wait(double quiet, uint64_t wait_ns);
double cs_probe_imul_ratio(void); /* negative without a probe */

/* ---- loop.c: the timed region --------------------------------------------------------------------------------------
 */

#define CS_MAX_BATCHES 64

typedef struct cs_timing {
    uint64_t ns[CS_MAX_BATCHES];        /* wall time of each batch */
    cs_probe probe[CS_MAX_BATCHES + 1]; /* before the first and after each; not written where not asked or not there */
    bool has_cpu, has_ref, has_nivcsw, has_cycles;
    uint64_t cpu_ns;
    uint64_t ref;
    uint64_t cycles;
    int64_t nivcsw;
    uint64_t aside_ns; /* that calls stood aside; only of those that are timed apart */
    int status;        /* OR of all calls */
} cs_timing;

/* `calls` calls, at least one; the OR of what they return. */
int cs_loop(int (*call)(cs_case *), cs_case *c, uint64_t calls);
int cs_batches(const cs_clock *clock, int (*call)(cs_case *), cs_case *c, uint64_t calls, unsigned batches,
               struct timespec *wall);
/* The same with a probe before the first batch and after each; every batch has two readings of the clock of its own,
 * `wall` gets 2 x batches. */
int cs_batches_around(const cs_clock *clock, int (*call)(cs_case *), cs_case *c, uint64_t calls, unsigned batches,
                      struct timespec *wall, cs_probe *probe);
/* `batches` (1 to CS_MAX_BATCHES) batches of `calls` calls, one after another, with probes around them if `around` and
 * if there are any; the other figures are of all batches together, and `cpu_ns` and `cycles` exclude the probes.
 */
void cs_time_batches(cs_case *c, uint64_t calls, unsigned batches, bool around, cs_timing *timing);

/* Prepares each call of a case that is timed call by call, outside of its time. */
typedef void cs_ready(void *what);
/* `calls` calls, each between two readings of its own and after `ready`; `ns` gets the sum of what lies between. */
int cs_calls_apart(const cs_clock *clock, int (*call)(cs_case *), cs_case *c, uint64_t calls, cs_ready *ready,
                   void *what, uint64_t *ns);
/* cs_time_batches for calls apart. CPU clock, cycles and reference counter have no figure: they would have `ready` in
 * theirs. */
void cs_time_apart(cs_case *c, uint64_t calls, unsigned batches, bool around, cs_ready *ready, void *what,
                   cs_timing *timing);

/* ---- aside.c ------------------------------------------------------------------------------------------------------
 */

/* Nanoseconds that calls stood aside, since the process began. */
uint64_t cs_aside_ns(void);
/* Whether a call ended without having come back; it is back then. */
bool cs_aside_left(void);
/* Told of each begin (true) and end, while heap is counted; NULL else. */
extern void (*cs_aside_heap)(bool away);

/* ---- shape.c: what a case is given --------------------------------------------------------------------------------
 */

#define CS_INPUTS_MAX 16
#define CS_PARAMS_MAX 8
#define CS_PARAM_MAX 63 /* bytes of a name or of a value */

/* Inputs of a verb, the needed ones first (verbs.h, written from algorithms/verbs.toml). */
typedef struct cs_verb {
    const char *name;
    const char *inputs[CS_INPUTS_MAX];
    size_t needed, count;
} cs_verb;

/* An algorithm whose input has one length only, so that no adapter needs to check it. */
typedef struct cs_length {
    const char *algorithm, *input;
    size_t bytes;
} cs_length;

typedef struct cs_param {
    char name[CS_PARAM_MAX + 1], value[CS_PARAM_MAX + 1];
} cs_param;

typedef struct cs_shape {
    size_t inputs;
    cs_field input[CS_INPUTS_MAX];
    size_t params;
    cs_param param[CS_PARAMS_MAX];
} cs_shape;

/* Reads `params` of a request. NULL, or what is wrong with them. */
const char *cs_shape_params(const cs_request *request, cs_shape *shape);
/* Whether an operation's row is made for these parameters: each one that its `params` names has one of the values
 * there. */
bool cs_shape_fits(const cs_shape *shape, const char *params);
/* Takes the inputs of the operation `id` out of a request: all that its verb needs and those that it may have, no
 * others. For an unknown verb: all fields that look like inputs. NULL, or what is wrong; the text lives until the next
 * call. */
const char *cs_shape_inputs(const cs_request *request, const char *id, cs_shape *shape);
/* The one length that an input of the operation `id` may have; SIZE_MAX if any will do. */
size_t cs_shape_length(const char *id, const char *input);

/* ---- cases.c: prepared operations ----------------------------------------------------------------------------------
 */

#include "conditions.h"

typedef struct cs_slot {
    uint64_t setup_ns; /* wall time of the adapter's setup */
    cs_case c;
    const cs_op *row; /* of the adapter's table; `c.op` is it, or with key=fresh the copy `own` of it */
    cs_op own;
    bool set_up; /* there is a setup without its teardown */
    cs_conditions under;
    uint8_t *message; /* place=same: `msg` as it was given; else NULL */
    size_t message_len;
    struct cs_key *key; /* key=fresh: `keys` of them, the first from `prepare`; else NULL */
    size_t keys, key_next;
    uint8_t *arena;
    size_t arena_len;
    uint8_t *out; /* a second copy of c.out and c.out_cap, out of the adapter's hands */
    size_t out_cap;
    size_t ring_next; /* of a ring whose first this is: the index of the next call */
    size_t inputs, params;
    cs_input_span input[CS_INPUTS_MAX];
    char input_name[CS_INPUTS_MAX][CS_PARAM_MAX + 1];
    uint32_t input_crc32[CS_INPUTS_MAX];
    cs_param param[CS_PARAMS_MAX];
    bool called;
    int status;        /* of the last call or batch, CS_ERROR if the output buffer was overrun */
    int64_t heap_held; /* bytes that setup and the calls so far allocated and did not free */
    char detail[CS_DETAIL_MAX];
} cs_slot;

extern const cs_op cs_empty_op; /* harness/empty */

/* Makes a case of `op` from the inputs in `request`, with the parameters in `shape`. Returns NULL and sets `code` and
 * `detail` if it cannot. */
cs_slot *cs_slot_open(const cs_op *op, const cs_request *request, const cs_shape *shape, const char **code,
                      const char **detail);
void cs_slot_close(cs_slot *slot); /* NULL is fine */
/* Runs the adapter's teardown if the slot is set up. The time in ns, or -1 if there was no teardown. */
int64_t cs_slot_end(cs_slot *slot);
/* The slot that a case is in. */
cs_slot *cs_slot_of(cs_case *c);
#define CS_CANARY ((size_t)64)
/* Whether the CS_CANARY bytes from `canary` on are as cs_canary left them. */
bool cs_intact(const uint8_t *canary);
void cs_canary(uint8_t *from, size_t len);
/* Spoils the ends of the output buffer, so that a call that does nothing cannot leave the right answer. */
void cs_slot_before(cs_slot *slot);
/* After a call or a batch: `finish` where all calls were good, then keeps status and detail; turns an overrun of the
 * output buffer or of an input into CS_ERROR. */
void cs_slot_after(cs_slot *slot, int status);
/* Turns an input that is not as it was given into CS_ERROR. Reads every input, so not after each batch. */
void cs_slot_check_inputs(cs_slot *slot);

/* What cs_fail stored, emptied by cs_failure_clear. */
const char *cs_failure(void);
void cs_failure_clear(void);
/* True if a cs_alloc failed since cs_failure_clear. */
bool cs_alloc_failed(void);

/* ---- count.c: what an emulator counts between ----------------------------------------------------------------------
 */

void cs_count_begin(void);
void cs_count_end(void);
/* One call between the two. */
int cs_counted_call(cs_case *c);

/* ---- fork.c: what a generator does after a fork --------------------------------------------------------------------
 */

#define CS_FORK_MAX ((size_t)256)

/* For a case with the input `fork`: one call, then one in a forked child and one here, of at most CS_FORK_MAX bytes.
 * CS_OK if both left the same bytes, CS_REJECTED if the child's are others or none. */
int cs_fork_call(cs_case *c);

/* ---- run.c: the verbs that measure ---------------------------------------------------------------------------------
 */

#define CS_MAX_READINGS 1024 /* of one `probe` */

typedef struct cs_run {
    uint64_t calls, lead, batches;
    uint64_t ring; /* cases that take the calls in turn, from the one that was asked for on */
    bool probe;
    double quiet;     /* additions a cycle that end the waiting; 0: do not wait */
    uint64_t wait_ns; /* of probing before the lead-in, at most */
} cs_run;

/* NULL, or what is wrong with the keys of a `run`. */
const char *cs_run_parse(const cs_request *request, cs_run *run);
#define CS_MAX_RING 64
/* Runs `run->ring` cases of one operation, `slot[0]` first, and replies. False if the replies have no reader. */
bool cs_run_serve(const cs_request *request, cs_slot *const *slot, const cs_run *run);
/* The whole verb `probe`. */
bool cs_probe_serve(const cs_request *request);

/* ---- facts.c: facts that an adapter reports about a case -----------------------------------------------------------
 */

#define CS_FACTS_MAX 64
#define CS_FACT_KEY_MAX 63
#define CS_FACT_TEXT_MAX 4096

typedef struct cs_fact {
    char key[CS_FACT_KEY_MAX + 1];
    bool is_text;
    uint64_t number; /* at most 2^53 */
    char text[CS_FACT_TEXT_MAX + 1];
} cs_fact;

struct cs_facts {
    size_t count;
    const char *wrong; /* the first reported thing that is not a fact, a static string; NULL if all are facts */
    cs_fact fact[CS_FACTS_MAX];
};

/* The whole verb `facts`. A worker that is asked times nothing afterwards: the bytes that the hook left in the output
 * are not a result. */
bool cs_facts_serve(const cs_request *request, cs_slot *slot);

/* ---- identity.c ----------------------------------------------------------------------------------------------------
 */

/* The whole verb `objects`: the files that this process was mapped from. */
bool cs_identity_serve(const cs_request *request);

/* ---- phases.c ------------------------------------------------------------------------------------------------------
 */

/* Times of steps that are made once a process; negative: there is no such step, or it was reported before. */
typedef struct cs_phases {
    int64_t open_ns;      /* the library's and the interface's */
    int64_t available_ns; /* asking whether the operation can run */
    int64_t seed_ns;
    int64_t fetch_ns;
} cs_phases;

/* Starts the library; what its `open` returned. */
int cs_phases_start(const cs_library *library);
/* Makes what a row needs once: NULL, or why it cannot be used. `known`: its first call is to be the first, so it is not
 * asked whether it is available, and nothing is settled. */
const char *cs_phases_ready(const cs_op *op, bool known);
void *cs_phases_fetched(const cs_op *op);
/* The times since the last report. */
cs_phases cs_phases_take(void);

/* ---- memory.c ------------------------------------------------------------------------------------------------------
 */

/* Figures that this worker does not have are negative. */
typedef struct cs_memory {
    int64_t heap_peak_bytes;
    int64_t allocations;
    int64_t stack_bytes;
    int64_t max_rss_kib;
    int64_t random_bytes;         /* that the call drew from the generator that the adapter gave to its library */
    int64_t system_random_bytes;  /* that the process asked of the system during the call */
    int64_t system_random_before; /* and before it, from its start on */
    int status;                   /* of the call */
} cs_memory;

bool cs_heap_known(void);
int64_t cs_heap_live(void); /* 0 if unknown */
bool cs_stack_known(void);
/* One call of the case, on a painted stack if there can be one. */
void cs_memory_measure(cs_slot *slot, cs_memory *result);

/* ---- worker.c and single.c -----------------------------------------------------------------------------------------
 */

/* Answers one line, as if it had been read; false at the end of the conversation. */
bool cs_worker_serve(char *line, size_t len);
/* The case of a number below CS_CASES; NULL where none is prepared. */
cs_slot *cs_worker_slot(size_t number);
/* Makes case `number` of the fields of a `prepare`. Returns NULL and sets `code` and `detail` if it cannot; the case
 * that had the number is then closed, unless the request itself was malformed. */
cs_slot *cs_worker_open(size_t number, const cs_request *request, const char **code, const char **detail);
/* --exec: replies as in a conversation. 0 if the library computed something, 3 if it rejected its inputs, 1 if it could
 * not, 2 if the arguments are too long. */
int cs_single_told(int count, char **fields);
/* --once: nothing but the output, as bytes; values may be file:PATH. Status as of --exec, and 4 for a case that cannot
 * be prepared. */
int cs_single_raw(int count, char **fields);

#endif
