// The bounds of an evaluation's time: instructions, and what they do in C.
#include "sandbox.h"

enum { INSTRUCTIONS_BETWEEN = 1000, BYTES_OF_A_STEP = 4 };

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

static void count(lua_State *lua, lua_Debug *record) {
    lua_Debug caller;
    (void)record;
    if (lua_getstack(lua, GL_CALL_DEPTH, &caller)) gl_stop(lua, GL_TOO_DEEP);
    // An instruction that compares texts, or takes one for a number, takes as long as they are.
    gl_work(lua, INSTRUCTIONS_BETWEEN + gl_of(lua)->longest / BYTES_OF_A_STEP);
}

// Each call of it begins to count anew.
void gl_count_instructions(lua_State *lua, int counting) {
    lua_sethook(lua, counting ? count : NULL, counting ? LUA_MASKCOUNT : 0, INSTRUCTIONS_BETWEEN);
}
