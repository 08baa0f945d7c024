// A sandbox: its state, compiling and calling. Functions that can raise are called by lua_pcall.
#include "sandbox.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static int open(lua_State *lua) {
    gl_open_libraries(lua);
    gl_open_marks(lua);
    return 0;
}

gl_sandbox *gl_open(void) {
    gl_sandbox *sandbox = calloc(1, sizeof *sandbox);
    if (!sandbox) return NULL;
    sandbox->limit = GL_COMPILED_MEMORY;
    sandbox->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    sandbox->lua = sandbox->locale ? lua_newstate(gl_allocate, sandbox) : NULL;
    if (sandbox->lua) {
        *(gl_sandbox **)lua_getextraspace(sandbox->lua) = sandbox;
        lua_gc(sandbox->lua, LUA_GCSTOP);
        lua_pushcfunction(sandbox->lua, open);
        if (lua_pcall(sandbox->lua, 0, 0, 0) == LUA_OK) return sandbox;
    }
    gl_close(sandbox);
    return NULL;
}

void gl_close(gl_sandbox *sandbox) {
    if (sandbox->lua) lua_close(sandbox->lua);
    if (sandbox->locale) freelocale(sandbox->locale);
    free(sandbox->arguments);
    free(sandbox->bytes);
    free(sandbox->results);
    free(sandbox);
}

// Errors of calls. The error is on top of the stack.

static int failed(gl_sandbox *sandbox, int status) {
    sandbox->message = NULL;
    sandbox->message_length = 0;
    if (sandbox->reason) return sandbox->reason;
    if (status == LUA_ERRMEM) return GL_OUT_OF_MEMORY;
    // Lua's errors are texts, and sandboxed code cannot raise other values.
    if (lua_type(sandbox->lua, -1) == LUA_TSTRING) sandbox->message = lua_tolstring(sandbox->lua, -1, &sandbox->message_length);
    return GL_FAILED;
}

const char *gl_message(const gl_sandbox *sandbox, size_t *length) {
    *length = sandbox->message_length;
    return sandbox->message ? sandbox->message : "";
}

// Switches to the C locale: numbers have a point, and texts are compared by bytes.
static locale_t enter(gl_sandbox *sandbox) {
    sandbox->reason = 0;
    lua_settop(sandbox->lua, 0);
    return uselocale(sandbox->locale);
}

// Compiling.

typedef struct reading {
    const char *text;
    size_t length, consumed;
    int has_begun;
} reading;

// Reads byte by byte, so that the parser's position is that of the error.
static const char *read_byte(lua_State *lua, void *context, size_t *size) {
    reading *reading = context;
    (void)lua;
    if (!reading->has_begun) {
        reading->has_begun = 1;
        *size = sizeof "return " - 1;
        return "return ";
    }
    *size = reading->consumed < reading->length;
    const char *next = reading->text + reading->consumed;
    if (reading->consumed <= reading->length) reading->consumed++;
    return *size ? next : NULL;
}

int gl_parse(gl_sandbox *sandbox, const char *text, size_t length, size_t *consumed) {
    reading reading = {text, length, 0, 0};
    locale_t before = enter(sandbox);
    int status = lua_load(sandbox->lua, read_byte, &reading, "=e", "t");
    *consumed = reading.consumed;
    int outcome = status == LUA_OK ? GL_OK : failed(sandbox, status);
    if (outcome == GL_OK) gl_settle_if_grown(sandbox);
    uselocale(before);
    return outcome;
}

// Its arguments are the chunk, and the libraries' bits. Returns the function's number.
static int make_function(lua_State *lua) {
    uint64_t libraries = (uint64_t)lua_tointeger(lua, 2);
    lua_settop(lua, 1);
    int count = 0;
    for (int number = 0; gl_library_name(number); number++) {
        if (!(libraries >> number & 1)) continue;
        gl_push_library(lua, number);
        count++;
    }
    lua_call(lua, count, 1);
    lua_pushinteger(lua, luaL_ref(lua, LUA_REGISTRYINDEX));
    return 1;
}

int gl_compile(gl_sandbox *sandbox, const char *chunk, size_t length, uint64_t libraries, int *function) {
    lua_State *lua = sandbox->lua;
    locale_t before = enter(sandbox);
    lua_pushcfunction(lua, make_function);
    int status = luaL_loadbufferx(lua, chunk, length, "=e", "t");
    if (status == LUA_OK) {
        lua_pushinteger(lua, (lua_Integer)libraries);
        status = lua_pcall(lua, 2, 1, 0);
    }
    int outcome = status == LUA_OK ? GL_OK : failed(sandbox, status);
    *function = outcome == GL_OK ? (int)lua_tointeger(lua, -1) : 0;
    uselocale(before);
    return outcome;
}

void gl_forget(gl_sandbox *sandbox, int function) {
    luaL_unref(sandbox->lua, LUA_REGISTRYINDEX, function);
    gl_settle_if_grown(sandbox);
}

// Calling.

// Neither numbers nor booleans are allocated, so nothing here raises.
static void push_plain(gl_sandbox *sandbox) {
    for (size_t index = 0; index < sandbox->argument_count; index++) {
        const gl_value *value = &sandbox->arguments[index];
        if (value->kind == GL_INTEGER) lua_pushinteger(sandbox->lua, value->integer);
        else if (value->kind == GL_NUMBER) lua_pushnumber(sandbox->lua, value->number);
        else if (value->kind == GL_BOOLEAN) lua_pushboolean(sandbox->lua, value->integer != 0);
        else lua_pushnil(sandbox->lua);
    }
}

static int call_with_all(lua_State *lua) {
    gl_sandbox *sandbox = gl_of(lua);
    luaL_checkstack(lua, sandbox->passed + 4, NULL);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, sandbox->function);
    gl_push_arguments(lua);
    lua_call(lua, sandbox->passed, 1);
    return 1;
}

static int call_with_plain(gl_sandbox *sandbox) {
    if (!lua_checkstack(sandbox->lua, sandbox->passed + 4)) return LUA_ERRMEM;
    lua_rawgeti(sandbox->lua, LUA_REGISTRYINDEX, sandbox->function);
    push_plain(sandbox);
    return lua_pcall(sandbox->lua, sandbox->passed, 1, 0);
}

static int call(gl_sandbox *sandbox) {
    if (sandbox->plain) return call_with_plain(sandbox);
    lua_pushcfunction(sandbox->lua, call_with_all);
    return lua_pcall(sandbox->lua, 0, 1, 0);
}

static void begin_evaluation(gl_sandbox *sandbox, uint32_t steps) {
    sandbox->evaluating = 1;
    sandbox->limit = sandbox->settled + GL_MEMORY;
    sandbox->given = 0;
    sandbox->shortages = 0;
    sandbox->longest = 0;
    sandbox->granted = steps < GL_STEPS ? steps : GL_STEPS;
    sandbox->steps = sandbox->granted;
}

static void end_evaluation(gl_sandbox *sandbox) {
    gl_note_spent(sandbox);
    sandbox->evaluating = 0;
    sandbox->limit = GL_COMPILED_MEMORY;
    gl_collect_if_grown(sandbox);
}

// Returns plain values. For other results the kind is GL_ARRAY.
static gl_value plain_result(lua_State *lua) {
    gl_value value = {.kind = GL_ARRAY, .count = 0, .integer = 0};
    size_t length;
    switch (lua_type(lua, 1)) {
    case LUA_TNIL: value.kind = GL_NIL; break;
    case LUA_TBOOLEAN:
        value.kind = GL_BOOLEAN;
        value.integer = lua_toboolean(lua, 1);
        break;
    case LUA_TNUMBER:
        value.kind = lua_isinteger(lua, 1) ? GL_INTEGER : GL_NUMBER;
        if (value.kind == GL_INTEGER) value.integer = lua_tointeger(lua, 1);
        else value.number = lua_tonumber(lua, 1);
        break;
    case LUA_TSTRING:
        value.text = lua_tolstring(lua, 1, &length);
        if (length > GL_RESULT_SIZE) break;
        value.kind = GL_TEXT;
        value.count = (uint32_t)length;
        break;
    default: break;
    }
    return value;
}

int gl_call(gl_sandbox *sandbox, int function, int arguments, gl_counting counting, gl_value *result) {
    locale_t before = enter(sandbox);
    sandbox->function = function;
    sandbox->passed = arguments;
    begin_evaluation(sandbox, counting.most);
    sandbox->largest = 0;
    gl_note_arguments(sandbox);
    gl_count_instructions(sandbox->lua, &counting);
    int status = call(sandbox);
    gl_count_nothing(sandbox->lua);
    int outcome = status == LUA_OK ? GL_OK : failed(sandbox, status);
    end_evaluation(sandbox);
    if (outcome == GL_OK) *result = plain_result(sandbox->lua);
    uselocale(before);
    return outcome;
}

int gl_flatten(gl_sandbox *sandbox, const gl_value **values, size_t *count) {
    lua_State *lua = sandbox->lua;
    sandbox->result_count = 0;
    sandbox->result_size = 0;
    lua_settop(lua, 1);
    begin_evaluation(sandbox, GL_STEPS);
    lua_pushcfunction(lua, gl_flatten_result);
    lua_pushvalue(lua, 1);
    int status = lua_pcall(lua, 1, 0, 0);
    int outcome = status == LUA_OK ? GL_OK : failed(sandbox, status);
    end_evaluation(sandbox);
    *values = sandbox->results;
    *count = sandbox->result_count;
    return outcome;
}
