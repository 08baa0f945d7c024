// The bounds of an evaluation's time: instructions and their work in C.
#include "sandbox.h"

enum { STEPS_BETWEEN = 100, BYTES_OF_A_STEP = 40, EXTRA_VALUES_OF_A_STEP = 8, BYTES_OF_A_TABLE_STEP = 1024 };

// Ends the evaluation. There is no pcall in the sandbox that could catch it.
int gl_stop(lua_State *lua, int reason) {
    gl_of(lua)->reason = reason;
    lua_pushnil(lua);
    return lua_error(lua);
}

void gl_work(lua_State *lua, size_t steps) {
    gl_sandbox *sandbox = gl_of(lua);
    if (steps > GL_STEPS) steps = GL_STEPS;
    sandbox->steps -= (int64_t)steps;
    if (sandbox->steps < 0) gl_stop(lua, GL_OUT_OF_STEPS);
}

static void count(lua_State *lua) {
    lua_Debug caller;
    if (lua_getstack(lua, GL_CALL_DEPTH, &caller)) gl_stop(lua, GL_TOO_DEEP);
    // An instruction that compares texts or converts one to a number takes time in proportion to their length.
    gl_work(lua, STEPS_BETWEEN + gl_of(lua)->longest / BYTES_OF_A_STEP);
}

static int has_extra(lua_State *lua, const lua_Debug *function, int place) {
    if (!lua_getlocal(lua, function, -place)) return 0;
    lua_pop(lua, 1);
    return 1;
}

// Returns the number of a function's `...` values, rounded up to a power of two.
static size_t extra_values(lua_State *lua, int level) {
    lua_Debug function;
    if (!lua_getstack(lua, level, &function)) return 0;
    int count = 1;
    while (count < GL_MEMORY && has_extra(lua, &function, count)) count *= 2;
    return (size_t)count;
}

// One instruction copies all of them: when the function is called, and when it passes them on.
static void count_call(lua_State *lua) {
    gl_work(lua, (extra_values(lua, 0) + extra_values(lua, 1)) / EXTRA_VALUES_OF_A_STEP);
}

static void hook(lua_State *lua, lua_Debug *record) {
    if (record->event == LUA_HOOKCOUNT) count(lua);
    else count_call(lua);
}

// Each call resets the count.
void gl_count_instructions(lua_State *lua, const gl_counting *counting) {
    int weight = counting->weight > 1 ? (int)counting->weight : 1;
    gl_of(lua)->weight = weight;
    lua_sethook(lua, hook, counting->calls ? LUA_MASKCOUNT | LUA_MASKCALL : LUA_MASKCOUNT, STEPS_BETWEEN / weight);
}

void gl_count_nothing(lua_State *lua) { lua_sethook(lua, NULL, 0, 0); }

// Counts a search of a table, whose capacity may be as large as the largest block of this evaluation.
void gl_work_on_table(lua_State *lua, size_t steps) { gl_work(lua, steps + gl_of(lua)->largest / BYTES_OF_A_TABLE_STEP); }

enum { STEPS_OF_AN_EVALUATION = 50, STEPS_OF_AN_ARGUMENT = 2, ALLOCATED_BYTES_OF_A_STEP = 32 };

// Called after an evaluation. Adds its steps, arguments and allocations.
void gl_note_spent(gl_sandbox *sandbox) {
    int64_t steps = sandbox->granted - (sandbox->steps > 0 ? sandbox->steps : 0);
    sandbox->spent += steps + (int64_t)(STEPS_OF_AN_EVALUATION * (size_t)sandbox->weight + sandbox->given / ALLOCATED_BYTES_OF_A_STEP);
}

void gl_note_arguments(gl_sandbox *sandbox) {
    sandbox->spent += (int64_t)(sandbox->argument_count * STEPS_OF_AN_ARGUMENT + sandbox->byte_count / ALLOCATED_BYTES_OF_A_STEP);
}

int64_t gl_spent(const gl_sandbox *sandbox) { return sandbox->spent; }
