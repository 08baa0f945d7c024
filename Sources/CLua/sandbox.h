// Declarations shared by the files of this module.
#ifndef CLUA_SANDBOX_H
#define CLUA_SANDBOX_H

#define _GNU_SOURCE
#include "CLua.h"

#include <locale.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

struct gl_sandbox {
    lua_State *lua;
    locale_t locale;
    // Memory in bytes: in use, the limit, and allocated in this evaluation; and the number of refused allocations.
    size_t used, limit, given;
    int shortages;
    // The longest text that this evaluation has made.
    size_t longest;
    // The largest block of any kind, and of its result.
    size_t largest;
    // Whether an evaluation is running. Its bounds apply only then.
    int evaluating;
    // Memory in use after the last collection.
    size_t settled;
    int64_t steps, granted;
    // Steps that an instruction of this expression counts as.
    int weight;
    // Steps of all evaluations.
    int64_t spent;
    // The reason that ended the evaluation; 0 if the message is the error.
    int reason;

    gl_value *arguments;
    size_t argument_count, argument_room;
    char *bytes;
    size_t byte_count, byte_room;
    // Whether no argument is a text or a container. Then nothing is allocated for them.
    int plain;
    int function, passed;

    gl_value *results;
    size_t result_count, result_room;
    size_t result_size;

    const char *message;
    size_t message_length;
};

static inline gl_sandbox *gl_of(lua_State *lua) { return *(gl_sandbox **)lua_getextraspace(lua); }

// memory.c
void *gl_allocate(void *sandbox, void *block, size_t old_size, size_t new_size);
void *gl_grown(void *block, size_t *room, size_t wanted, size_t size);
void gl_collect_if_grown(gl_sandbox *sandbox);
void gl_settle_if_grown(gl_sandbox *sandbox);

// libraries.c: pushes the value of a library. Raises.
void gl_open_libraries(lua_State *lua);
void gl_push_library(lua_State *lua, int library);

// work.c: counts work that one instruction does in C. Raises.
void gl_work(lua_State *lua, size_t steps);
void gl_work_on_table(lua_State *lua, size_t steps);
void gl_count_instructions(lua_State *lua, const gl_counting *counting);
void gl_count_nothing(lua_State *lua);
int gl_stop(lua_State *lua, int reason);
void gl_note_spent(gl_sandbox *sandbox);
void gl_note_arguments(gl_sandbox *sandbox);

// order.c
int gl_pairs(lua_State *lua);
int gl_sort(lua_State *lua);

// values.c: raise.
void gl_push_arguments(lua_State *lua);
void gl_open_marks(lua_State *lua);
int gl_flatten_result(lua_State *lua);

#endif
