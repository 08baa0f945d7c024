// Iteration and sorting in a defined order. Lua's own order depends on addresses and on the clock.
#include "sandbox.h"

#include <stdlib.h>
#include <string.h>

typedef struct key {
    int type;
    int is_integer;
    lua_Integer integer;
    lua_Number number;
    const char *text;
    size_t length;
} key;

enum { STEPS_OF_A_KEY = 8, STEPS_OF_A_WALK = 20 };

static int rank(int type) { return type == LUA_TNUMBER ? 0 : type == LUA_TSTRING ? 1 : 2; }

static int compared_numbers(const key *left, const key *right) {
    if (left->is_integer && right->is_integer) return (left->integer > right->integer) - (left->integer < right->integer);
    // As long doubles, integers keep all their digits.
    long double one = left->is_integer ? left->integer : left->number, other = right->is_integer ? right->integer : right->number;
    return (one > other) - (one < other);
}

static int compared_texts(const key *left, const key *right) {
    size_t common = left->length < right->length ? left->length : right->length;
    int order = memcmp(left->text, right->text, common);
    return order ? order : (left->length > right->length) - (left->length < right->length);
}

// Numbers, then texts by their bytes, then false and true.
static int compared(const void *first, const void *second) {
    const key *left = first, *right = second;
    if (left->type != right->type) return rank(left->type) - rank(right->type);
    if (left->type == LUA_TNUMBER) return compared_numbers(left, right);
    return left->type == LUA_TSTRING ? compared_texts(left, right) : left->is_integer - right->is_integer;
}

static void note_key(lua_State *lua, int index, key *key) {
    key->type = lua_type(lua, index);
    if (key->type == LUA_TNUMBER) {
        key->is_integer = lua_isinteger(lua, index);
        if (key->is_integer) key->integer = lua_tointeger(lua, index);
        else key->number = lua_tonumber(lua, index);
    } else if (key->type == LUA_TSTRING) {
        key->text = lua_tolstring(lua, index, &key->length);
    } else if (key->type == LUA_TBOOLEAN) {
        key->is_integer = lua_toboolean(lua, index);
    } else {
        luaL_error(lua, "pairs walks over numbers, texts and booleans, and there is a %s among the keys", luaL_typename(lua, index));
    }
}

static size_t counted_keys(lua_State *lua, int table) {
    size_t count = 0;
    for (lua_pushnil(lua); lua_next(lua, table); lua_pop(lua, 1)) count++;
    gl_work_on_table(lua, STEPS_OF_A_WALK + count * STEPS_OF_A_KEY);
    return count;
}

static void push_key(lua_State *lua, const key *key) {
    if (key->type == LUA_TBOOLEAN) lua_pushboolean(lua, key->is_integer);
    else if (key->type == LUA_TSTRING) lua_pushlstring(lua, key->text, key->length);
    else if (key->is_integer) lua_pushinteger(lua, key->integer);
    else lua_pushnumber(lua, key->number);
}

// Pushes a list of the keys of the table at 1. The table is not changed meanwhile, so its keys' texts stay valid.
static void push_sorted_keys(lua_State *lua) {
    size_t count = counted_keys(lua, 1), place = 0;
    key *keys = lua_newuserdatauv(lua, count * sizeof *keys + 1, 0);
    memset(keys, 0, count * sizeof *keys);
    for (lua_pushnil(lua); lua_next(lua, 1); lua_pop(lua, 1)) note_key(lua, -2, &keys[place++]);
    qsort(keys, count, sizeof *keys, compared);
    lua_createtable(lua, (int)count, 0);
    for (place = 0; place < count; place++) {
        push_key(lua, &keys[place]);
        lua_rawseti(lua, -2, (lua_Integer)place + 1);
    }
}

// Upvalues: the keys, and the number of visited keys.
static int next_pair(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_Integer place = lua_tointeger(lua, lua_upvalueindex(2));
    for (;;) {
        if (lua_rawgeti(lua, lua_upvalueindex(1), ++place) == LUA_TNIL) return 1;
        lua_pushinteger(lua, place);
        lua_replace(lua, lua_upvalueindex(2));
        lua_pushvalue(lua, -1);
        // Skips keys that were removed meanwhile.
        if (lua_rawget(lua, 1) != LUA_TNIL) return 2;
        lua_settop(lua, 1);
        gl_work(lua, 1);
    }
}

int gl_pairs(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 1);
    push_sorted_keys(lua);
    lua_pushinteger(lua, 0);
    lua_pushcclosure(lua, next_pair, 2);
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
}

// A merge sort. It is stable and ends for any comparison. Index 1 is the list, 2 the comparison, 3 and 4 hold the runs.

static int comes_before(lua_State *lua, int has_comparison) {
    size_t bytes = lua_type(lua, -1) == LUA_TSTRING ? lua_rawlen(lua, -1) : 0;
    gl_work(lua, 2 + bytes / 16);
    if (!has_comparison) return lua_compare(lua, -2, -1, LUA_OPLT);
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, -3);
    lua_pushvalue(lua, -3);
    lua_call(lua, 2, 1);
    int result = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return result;
}

// Takes from the left unless the right one comes before it.
static void merge(lua_State *lua, int from, int into, lua_Integer start, lua_Integer middle, lua_Integer end, int has_comparison) {
    lua_Integer left = start, right = middle;
    for (lua_Integer place = start; place < end; place++) {
        int takes_right = left >= middle;
        if (left < middle && right < end) {
            lua_rawgeti(lua, from, right);
            lua_rawgeti(lua, from, left);
            takes_right = comes_before(lua, has_comparison);
            lua_pop(lua, 2);
        }
        lua_rawgeti(lua, from, takes_right ? right++ : left++);
        lua_rawseti(lua, into, place);
    }
}

static void copy(lua_State *lua, int from, int into, lua_Integer count) {
    for (lua_Integer place = 1; place <= count; place++) {
        lua_rawgeti(lua, from, place);
        lua_rawseti(lua, into, place);
    }
}

int gl_sort(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    int has_comparison = !lua_isnoneornil(lua, 2);
    if (has_comparison) luaL_checktype(lua, 2, LUA_TFUNCTION);
    lua_settop(lua, 2);
    lua_Integer count = (lua_Integer)lua_rawlen(lua, 1);
    gl_work(lua, 2 * (size_t)count);
    int from = 3, into = 4;
    for (int table = from; table <= into; table++) lua_createtable(lua, (int)count, 0);
    copy(lua, 1, from, count);
    for (lua_Integer width = 1; width < count; width *= 2) {
        for (lua_Integer start = 1; start <= count; start += 2 * width) {
            lua_Integer end = count + 1, middle = start + width < end ? start + width : end;
            if (start + 2 * width < end) end = start + 2 * width;
            merge(lua, from, into, start, middle, end, has_comparison);
        }
        int other = from;
        from = into;
        into = other;
    }
    copy(lua, from, 1, count);
    return 0;
}
