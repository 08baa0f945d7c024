// A Lua interface for Swift. Functions that can raise run protected in here, so that no Lua error jumps across a Swift frame.
// Values are passed as a flat list, a container before its elements. A sandbox belongs to one thread.
#ifndef CLUA_H
#define CLUA_H

#include <stddef.h>
#include <stdint.h>

enum gl_kind {
    GL_NIL,
    GL_BOOLEAN,
    GL_INTEGER,
    GL_NUMBER,
    GL_TEXT,
    // Followed by `count` values.
    GL_ARRAY,
    // Followed by `count` pairs of a text and a value.
    GL_OBJECT,
};

typedef struct gl_value {
    uint32_t kind;
    // The number of a text's bytes, or of a container's values or pairs.
    uint32_t count;
    union {
        // Also a boolean; for a text argument, the offset of its bytes in the argument buffer.
        int64_t integer;
        double number;
        // For a text result. It is valid until the next call.
        const char *text;
    };
} gl_value;

enum gl_outcome {
    GL_OK,
    // There is a message.
    GL_FAILED,
    GL_OUT_OF_MEMORY,
    // The evaluation took too many steps.
    GL_OUT_OF_STEPS,
    GL_TOO_DEEP,
};

enum gl_limits {
    // Bytes of an expression's text.
    GL_TEXT_LENGTH = 4096,
    // Instructions of one evaluation. C functions count by their work.
    GL_STEPS = 100000,
    // Depth of nested calls.
    GL_CALL_DEPTH = 200,
    // Memory of one evaluation in bytes: in use at once, in one text, and in total.
    GL_MEMORY = 1 << 20,
    GL_LONGEST_TEXT = 1 << 16,
    GL_TOTAL_MEMORY = 8 << 20,
    // Maximum number of forced collections in one evaluation.
    GL_COLLECTIONS = 16,
    // Memory of all compiled expressions, in bytes.
    GL_COMPILED_MEMORY = 64 << 20,
    // A result's maximum depth, and its maximum bytes as JSON.
    GL_RESULT_DEPTH = 32,
    GL_RESULT_SIZE = 1 << 16,
};

typedef struct gl_sandbox gl_sandbox;

// Returns NULL if memory is short.
gl_sandbox *gl_open(void);
void gl_close(gl_sandbox *sandbox);

// Whether `return TEXT` parses. `consumed` becomes the number of the text's bytes that were read until then; its end counts as one more.
int gl_parse(gl_sandbox *sandbox, const char *text, size_t length, size_t *consumed);

// Compiles a chunk that returns a function; its arguments are the libraries whose bits are set, in the order of `gl_library_name`.
// `function` becomes its number, greater than zero.
int gl_compile(gl_sandbox *sandbox, const char *chunk, size_t length, uint64_t libraries, int *function);
void gl_forget(gl_sandbox *sandbox, int function);

// The functions and tables of functions that expressions may use, from 0; NULL after the last. Members are of a table, from 0.
const char *gl_library_name(int library);
const char *gl_member_name(int library, int member);

// Called after compilation. Collects garbage; memory is counted from here.
void gl_settle(gl_sandbox *sandbox);

// Bytes in use, including uncollected garbage.
size_t gl_memory(const gl_sandbox *sandbox);

// The arguments of the next call. None of these raises. They return 0 if there is no memory.
void gl_begin(gl_sandbox *sandbox);
int gl_add_nil(gl_sandbox *sandbox);
int gl_add_boolean(gl_sandbox *sandbox, int value);
int gl_add_integer(gl_sandbox *sandbox, int64_t value);
int gl_add_number(gl_sandbox *sandbox, double value);
// `count` values must follow, or pairs of a text and a value.
int gl_add_container(gl_sandbox *sandbox, int is_object, uint32_t count);
int gl_add_text(gl_sandbox *sandbox, const char *text, size_t length);

// How instructions are counted.
typedef struct gl_counting {
    // Steps of one instruction; more than 1 for expressions with slow instructions.
    uint32_t weight;
    // Whether the values that each call copies are counted, for functions with `...`.
    uint32_t calls;
    // Maximum number of steps, at most GL_STEPS.
    uint32_t most;
} gl_counting;

// Calls a function with the first `arguments` values.
// Sets `result` to a plain result. Otherwise `result` is an array, and `gl_flatten` returns the contents or fails.
int gl_call(gl_sandbox *sandbox, int function, int arguments, gl_counting counting, gl_value *result);
int gl_flatten(gl_sandbox *sandbox, const gl_value **values, size_t *count);

// The steps of all evaluations, including the cost of arguments and allocations. It never decreases.
int64_t gl_spent(const gl_sandbox *sandbox);

// The message of the last error, valid until the next call.
const char *gl_message(const gl_sandbox *sandbox, size_t *length);

#endif
