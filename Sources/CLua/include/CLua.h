// Lua behind a face that Swift can call: whatever can raise runs protected in here, so that no error of Lua's jumps across a Swift frame.
// Values go in and out as a flat list, a container before what is in it. A sandbox is of one thread.
#ifndef CLUA_H
#define CLUA_H

#include <stddef.h>
#include <stdint.h>

// The version of Lua that it was built with: 504 for 5.4.
int gl_version(void);

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
    // Of a text its bytes, of a container its values or pairs.
    uint32_t count;
    union {
        // Also a boolean; of a text that goes in, where its bytes begin among those that were given.
        int64_t integer;
        double number;
        // Of a text that comes out. It stays until the next call.
        const char *text;
    };
} gl_value;

enum gl_outcome {
    GL_OK,
    // There is a message.
    GL_FAILED,
    GL_OUT_OF_MEMORY,
    // It ran, or worked, for too long.
    GL_OUT_OF_STEPS,
    GL_TOO_DEEP,
};

enum gl_limits {
    // Bytes of an expression's text.
    GL_TEXT_LENGTH = 4096,
    // Instructions of one evaluation. What runs in C counts by its work.
    GL_STEPS = 100000,
    // Functions that call each other.
    GL_CALL_DEPTH = 200,
    // Memory of one evaluation: at one time, in one text, and all in all.
    GL_MEMORY = 1 << 20,
    GL_LONGEST_TEXT = 1 << 16,
    GL_TOTAL_MEMORY = 8 << 20,
    // How often one evaluation may go on only after a collection.
    GL_COLLECTIONS = 16,
    // Memory of everything that is compiled.
    GL_COMPILED_MEMORY = 64 << 20,
    // A result: how deep, and how many bytes as JSON.
    GL_RESULT_DEPTH = 32,
    GL_RESULT_SIZE = 1 << 16,
};

typedef struct gl_sandbox gl_sandbox;

// NULL if there is no memory for it.
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

// What is compiled now stays: memory is counted from here.
void gl_settle(gl_sandbox *sandbox);

// Bytes that are in use, with those that wait for being collected.
size_t gl_memory(const gl_sandbox *sandbox);

// The arguments of the next call. None of these raises. They return 0 if there is no memory.
void gl_begin(gl_sandbox *sandbox);
int gl_add_nil(gl_sandbox *sandbox);
int gl_add_boolean(gl_sandbox *sandbox, int value);
int gl_add_integer(gl_sandbox *sandbox, int64_t value);
int gl_add_number(gl_sandbox *sandbox, double value);
// As many values follow, or pairs of a text and a value.
int gl_add_container(gl_sandbox *sandbox, int is_object, uint32_t count);
int gl_add_text(gl_sandbox *sandbox, const char *text, size_t length);

// How instructions are counted.
typedef struct gl_counting {
    // What one of them counts: more than 1 where there are such as take long.
    uint32_t weight;
    // Whether what each call copies is counted, for functions that take `...`.
    uint32_t calls;
    // At most so many steps, and never more than GL_STEPS.
    uint32_t most;
} gl_counting;

// Calls a function with so many of the values as arguments.
// A result that is no table, nor wrong, is told; of any other, `result` becomes an array, and `gl_flatten` tells what is in it.
int gl_call(gl_sandbox *sandbox, int function, int arguments, gl_counting counting, gl_value *result);
int gl_flatten(gl_sandbox *sandbox, const gl_value **values, size_t *count);

// The steps of all evaluations together, with what they were handed and have allocated; it only grows.
int64_t gl_spent(const gl_sandbox *sandbox);

// What went wrong at last, until the next call.
const char *gl_message(const gl_sandbox *sandbox, size_t *length);

#endif
