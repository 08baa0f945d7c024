// Conversion of values to Lua and back.
#include "sandbox.h"

#include <stdlib.h>
#include <string.h>

// Metatables of tables made from JSON arrays or objects. They keep the kind of an empty table, and the nulls of an array.
static const char array_mark = 0, object_mark = 0;

void gl_open_marks(lua_State *lua) {
    lua_newtable(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &array_mark);
    lua_newtable(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &object_mark);
}

static void mark(lua_State *lua, const char *mark) {
    lua_rawgetp(lua, LUA_REGISTRYINDEX, mark);
    lua_setmetatable(lua, -2);
}

static int is_marked(lua_State *lua, int table, const char *mark) {
    if (!lua_getmetatable(lua, table)) return 0;
    lua_rawgetp(lua, LUA_REGISTRYINDEX, mark);
    int is_marked = lua_rawequal(lua, -1, -2);
    lua_pop(lua, 2);
    return is_marked;
}

enum { STEPS_OF_A_TABLE = 8 };

// To Lua.

typedef struct source {
    const gl_sandbox *sandbox;
    size_t next;
} source;

static void push_next(lua_State *lua, source *source);

static void push_text(lua_State *lua, source *source, const gl_value *value) {
    const char *text = source->sandbox->bytes + value->integer;
    // See `characters` in libraries.c.
    if (value->count > 0 && memchr(text, 0, value->count)) luaL_error(lua, "there is a text with the character 0, which expressions do not take");
    lua_pushlstring(lua, value->count > 0 ? text : "", value->count);
}

static void push_array(lua_State *lua, source *source, uint32_t count) {
    lua_createtable(lua, (int)count, 0);
    for (uint32_t place = 1; place <= count; place++) {
        push_next(lua, source);
        lua_rawseti(lua, -2, place);
    }
    mark(lua, &array_mark);
}

static void push_object(lua_State *lua, source *source, uint32_t count) {
    lua_createtable(lua, 0, (int)count);
    for (uint32_t pair = 0; pair < count; pair++) {
        push_next(lua, source);
        push_next(lua, source);
        lua_rawset(lua, -3);
    }
    mark(lua, &object_mark);
}

static void push_next(lua_State *lua, source *source) {
    const gl_value *value = &source->sandbox->arguments[source->next++];
    luaL_checkstack(lua, 4, NULL);
    switch ((enum gl_kind)value->kind) {
    case GL_NIL: lua_pushnil(lua); break;
    case GL_BOOLEAN: lua_pushboolean(lua, value->integer != 0); break;
    case GL_INTEGER: lua_pushinteger(lua, value->integer); break;
    case GL_NUMBER: lua_pushnumber(lua, value->number); break;
    case GL_TEXT: push_text(lua, source, value); break;
    case GL_ARRAY: push_array(lua, source, value->count); break;
    case GL_OBJECT: push_object(lua, source, value->count); break;
    }
}

void gl_push_arguments(lua_State *lua) {
    source source = {gl_of(lua), 0};
    while (source.next < source.sandbox->argument_count) push_next(lua, &source);
}

// From Lua.

static gl_value *add_result(lua_State *lua, enum gl_kind kind, uint32_t count, size_t size) {
    gl_sandbox *sandbox = gl_of(lua);
    sandbox->result_size += size + 1;
    if (sandbox->result_size > GL_RESULT_SIZE) luaL_error(lua, "the result is larger than 65536 bytes");
    gl_value *grown = gl_grown(sandbox->results, &sandbox->result_room, sandbox->result_count + 1, sizeof *grown);
    if (!grown) gl_stop(lua, GL_OUT_OF_MEMORY);
    sandbox->results = grown;
    gl_value *value = &grown[sandbox->result_count++];
    value->kind = kind;
    value->count = count;
    value->integer = 0;
    return value;
}

static void add_text(lua_State *lua, const char *text, size_t length) {
    add_result(lua, GL_TEXT, (uint32_t)length, length + 2)->text = text;
}

static size_t digits(lua_Integer integer) {
    size_t count = 1 + (integer < 0);
    while (integer /= 10) count++;
    return count;
}

static void flatten(lua_State *lua, int index, int depth);

// The kinds of a table's keys. The result does not depend on the order of reading.
typedef struct shape {
    size_t count, texts;
    lua_Integer largest;
    // Whether a key is neither a text nor a positive integer.
    int has_other;
} shape;

static shape shape_of(lua_State *lua, int table) {
    shape shape = {0, 0, 0, 0};
    for (lua_pushnil(lua); lua_next(lua, table); lua_pop(lua, 1)) {
        shape.count++;
        if (lua_type(lua, -2) == LUA_TSTRING) {
            shape.texts++;
        } else if (lua_isinteger(lua, -2) && lua_tointeger(lua, -2) > 0) {
            if (lua_tointeger(lua, -2) > shape.largest) shape.largest = lua_tointeger(lua, -2);
        } else {
            shape.has_other = 1;
        }
    }
    return shape;
}

static void flatten_array(lua_State *lua, int table, lua_Integer count, int depth) {
    if (count > GL_RESULT_SIZE) luaL_error(lua, "the result is larger than 65536 bytes");
    add_result(lua, GL_ARRAY, (uint32_t)count, 1);
    for (lua_Integer place = 1; place <= count; place++) {
        lua_rawgeti(lua, table, place);
        flatten(lua, lua_gettop(lua), depth);
        lua_pop(lua, 1);
    }
}

typedef struct name {
    const char *text;
    size_t length;
} name;

static int compared_names(const void *first, const void *second) {
    const name *left = first, *right = second;
    size_t common = left->length < right->length ? left->length : right->length;
    int order = memcmp(left->text, right->text, common);
    return order ? order : (left->length > right->length) - (left->length < right->length);
}

static void flatten_object(lua_State *lua, int table, size_t count, int depth) {
    add_result(lua, GL_OBJECT, (uint32_t)count, 1);
    if (count > GL_RESULT_SIZE) luaL_error(lua, "the result is larger than 65536 bytes");
    name *names = lua_newuserdatauv(lua, count * sizeof *names + 1, 0);
    size_t place = 0;
    for (lua_pushnil(lua); lua_next(lua, table); lua_pop(lua, 1)) {
        names[place].text = lua_tolstring(lua, -2, &names[place].length);
        place++;
    }
    qsort(names, count, sizeof *names, compared_names);
    for (place = 0; place < count; place++) {
        add_text(lua, names[place].text, names[place].length);
        lua_pushlstring(lua, names[place].text, names[place].length);
        lua_rawget(lua, table);
        flatten(lua, lua_gettop(lua), depth);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

static void flatten_table(lua_State *lua, int table, int depth) {
    if (depth >= GL_RESULT_DEPTH) luaL_error(lua, "the result is nested more than 32 deep");
    luaL_checkstack(lua, 8, NULL);
    // An empty table may have had many keys, and lua_next searches their slots.
    gl_work_on_table(lua, STEPS_OF_A_TABLE);
    shape shape = shape_of(lua, table);
    int is_array = shape.texts == 0 && !shape.has_other;
    if (shape.texts == shape.count && shape.count > 0) return flatten_object(lua, table, shape.count, depth + 1);
    if (shape.count == 0 && is_marked(lua, table, &object_mark)) return flatten_object(lua, table, 0, depth + 1);
    if (is_array && ((size_t)shape.largest == shape.count || is_marked(lua, table, &array_mark))) {
        return flatten_array(lua, table, shape.largest, depth + 1);
    }
    luaL_error(lua, "the result has a table whose keys are neither 1, 2, 3 … nor all of them texts");
}

static void flatten_number(lua_State *lua, int index) {
    if (lua_isinteger(lua, index)) {
        lua_Integer integer = lua_tointeger(lua, index);
        add_result(lua, GL_INTEGER, 0, digits(integer))->integer = integer;
    } else {
        add_result(lua, GL_NUMBER, 0, 20)->number = lua_tonumber(lua, index);
    }
}

static void flatten(lua_State *lua, int index, int depth) {
    size_t length;
    switch (lua_type(lua, index)) {
    case LUA_TNIL: add_result(lua, GL_NIL, 0, 4); break;
    case LUA_TBOOLEAN: add_result(lua, GL_BOOLEAN, 0, 5)->integer = lua_toboolean(lua, index); break;
    case LUA_TNUMBER: flatten_number(lua, index); break;
    case LUA_TSTRING: {
        const char *text = lua_tolstring(lua, index, &length);
        add_text(lua, text, length);
        break;
    }
    case LUA_TTABLE: flatten_table(lua, index, depth); break;
    case LUA_TFUNCTION: luaL_error(lua, "the result is, or holds, a function, and no value"); break;
    default: luaL_error(lua, "the result is, or holds, a library, and no value");
    }
}

// The argument is the result; the caller keeps it on the stack below.
int gl_flatten_result(lua_State *lua) {
    flatten(lua, 1, 0);
    return 0;
}
