// The part of Lua's libraries that expressions may use: deterministic functions whose work is bounded or counted.
#include "sandbox.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct library {
    const char *name;
    // NULL for a table of functions.
    lua_CFunction function;
    const char *const *members;
} library;

// Amounts of work in C that count as one instruction. Formatting a fraction counts as many instructions.
enum { BYTES_OF_A_STEP = 16, VALUES_OF_A_STEP = 4, FORMATTED_BYTES_OF_A_STEP = 4, STEPS_OF_A_FRACTION = 50 };

static void work_on_texts(lua_State *lua) {
    size_t bytes = 0;
    for (int index = lua_gettop(lua); index > 0; index--) {
        if (lua_type(lua, index) == LUA_TSTRING) bytes += lua_rawlen(lua, index);
    }
    gl_work(lua, 1 + bytes / BYTES_OF_A_STEP + (size_t)lua_gettop(lua) / VALUES_OF_A_STEP);
}

// Calls Lua's own function, which is the upvalue.
static int original(lua_State *lua) { return lua_tocfunction(lua, lua_upvalueindex(1))(lua); }

static int counted(lua_State *lua) {
    work_on_texts(lua);
    return original(lua);
}

// Refuses tables and functions, whose text would be an address.
static void refuse_addresses(lua_State *lua, int first) {
    for (int index = first; index <= lua_gettop(lua); index++) {
        int type = lua_type(lua, index);
        if (type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA || type == LUA_TLIGHTUSERDATA) {
            luaL_argerror(lua, index, lua_pushfstring(lua, "a %s has no text", luaL_typename(lua, index)));
        }
    }
}

// Processors differ in the sign of NaN, which would show in its text.
static void drop_signs(lua_State *lua) {
    for (int index = lua_gettop(lua); index > 0; index--) {
        if (lua_type(lua, index) != LUA_TNUMBER || !isnan(lua_tonumber(lua, index))) continue;
        lua_pushnumber(lua, (lua_Number)NAN);
        lua_replace(lua, index);
    }
}

// A fraction has up to 300 digits before the point, and formatting computes all of them.
static void work_on_fractions(lua_State *lua) {
    size_t fractions = 0;
    for (int index = lua_gettop(lua); index > 0; index--) {
        fractions += lua_type(lua, index) == LUA_TNUMBER && !lua_isinteger(lua, index);
    }
    gl_work(lua, fractions * STEPS_OF_A_FRACTION);
}

static int remainder_of(lua_State *lua) {
    work_on_fractions(lua);
    return counted(lua);
}

static int to_string(lua_State *lua) {
    refuse_addresses(lua, 1);
    drop_signs(lua);
    work_on_fractions(lua);
    return counted(lua);
}

static int format(lua_State *lua) {
    const char *text = luaL_checkstring(lua, 1);
    size_t conversions = 0;
    while ((text = strchr(text, '%'))) {
        text++;
        text += strspn(text, "-+ #0123456789.");
        if (*text == 'p') return luaL_argerror(lua, 1, "'%p' is an address");
        if (*text == 'c') return luaL_argerror(lua, 1, "'%c' is string.char");
        if (*text && strchr("aAeEfFgG", *text)) conversions++;
        if (*text) text++;
    }
    refuse_addresses(lua, 2);
    drop_signs(lua);
    work_on_texts(lua);
    gl_work(lua, conversions * STEPS_OF_A_FRACTION);
    int results = original(lua);
    gl_work(lua, lua_rawlen(lua, -1) / FORMATTED_BYTES_OF_A_STEP);
    return results;
}

// Comparing texts full of the character 0 takes a hundred times as long, so no text may contain it.
static int characters(lua_State *lua) {
    for (int index = lua_gettop(lua); index > 0; index--) {
        if (luaL_checkinteger(lua, index) == 0) return luaL_argerror(lua, index, "texts cannot have the character 0");
    }
    return counted(lua);
}

static int rep(lua_State *lua) {
    size_t length, between = 0;
    work_on_texts(lua);
    luaL_checklstring(lua, 1, &length);
    lua_Integer times = luaL_checkinteger(lua, 2);
    luaL_optlstring(lua, 3, "", &between);
    if (times > 0) {
        size_t each = length + between;
        // Otherwise Lua would run an empty loop.
        if (each == 0) return lua_settop(lua, 1), 1;
        if ((lua_Unsigned)times > GL_LONGEST_TEXT / each) {
            return luaL_argerror(lua, 2, "the text would be longer than 65536 bytes");
        }
        gl_work(lua, 1 + each * (size_t)times / BYTES_OF_A_STEP);
    }
    return original(lua);
}

// Counts the elements that are moved.
static int insert_or_remove(lua_State *lua, int arguments_for_the_end) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    gl_work(lua, lua_gettop(lua) == arguments_for_the_end ? 1 : 1 + lua_rawlen(lua, 1) / 2);
    return original(lua);
}

static int insert(lua_State *lua) { return insert_or_remove(lua, 2); }
static int take(lua_State *lua) { return insert_or_remove(lua, 1); }

static int concat(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    size_t between = 0;
    luaL_optlstring(lua, 2, "", &between);
    lua_Integer place = luaL_optinteger(lua, 3, 1), last = luaL_opt(lua, luaL_checkinteger, 4, (lua_Integer)lua_rawlen(lua, 1));
    size_t bytes = 0;
    for (; place <= last; place++) {
        if (lua_geti(lua, 1, place) == LUA_TNIL) break;
        int is_text = lua_type(lua, -1) == LUA_TSTRING, is_whole = lua_isinteger(lua, -1);
        bytes += between + (is_text ? lua_rawlen(lua, -1) : 8);
        lua_pop(lua, 1);
        gl_work(lua, is_text || is_whole ? 2 : STEPS_OF_A_FRACTION);
        if (bytes > GL_LONGEST_TEXT + between) return luaL_error(lua, "the text would be longer than 65536 bytes");
        if (place == LUA_MAXINTEGER) break;
    }
    lua_settop(lua, 4);
    gl_work(lua, 1 + bytes / BYTES_OF_A_STEP);
    return original(lua);
}

static int unpack(lua_State *lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_Integer first = luaL_optinteger(lua, 2, 1), last = luaL_opt(lua, luaL_checkinteger, 3, (lua_Integer)lua_rawlen(lua, 1));
    if (first <= last && (lua_Unsigned)last - (lua_Unsigned)first >= 250) {
        return luaL_error(lua, "table.unpack gives at most 250 values");
    }
    gl_work(lua, 16 + (first <= last ? (size_t)(last - first) / VALUES_OF_A_STEP : 0));
    return original(lua);
}

// Replacements that call Lua's own functions. All others that convert texts to numbers are counted.
static const luaL_Reg wrapped[] = {
    {"tostring", to_string}, {"math.fmod", remainder_of}, {"tonumber", counted}, {"select", counted}, {"string.format", format}, {"string.rep", rep},
    {"string.byte", counted},
    {"string.char", characters}, {"string.lower", counted}, {"string.upper", counted}, {"string.reverse", counted},
    {"string.sub", counted}, {"utf8.char", characters}, {"utf8.len", counted}, {"utf8.codepoint", counted}, {"utf8.offset", counted},
    {"table.insert", insert}, {"table.remove", take}, {"table.concat", concat}, {"table.unpack", unpack},
    {NULL, NULL},
};

static const char *const math_members[] = {
    "abs", "ceil", "floor", "fmod", "huge", "max", "maxinteger", "min", "mininteger", "modf", "pi", "sqrt", "tointeger", "type", "ult",
    NULL,
};
static const char *const string_members[] = {
    "byte", "char", "format", "len", "lower", "rep", "reverse", "sub", "upper", NULL,
};
static const char *const table_members[] = {"concat", "insert", "pack", "remove", "sort", "unpack", NULL};
static const char *const utf8_members[] = {"char", "codepoint", "len", "offset", NULL};

// An entry without a function and members is Lua's own function.
static const library libraries[] = {
    {"ipairs", NULL, NULL},
    {"math", NULL, math_members},
    {"pairs", gl_pairs, NULL},
    {"select", NULL, NULL},
    {"string", NULL, string_members},
    {"table", NULL, table_members},
    {"tonumber", NULL, NULL},
    {"tostring", NULL, NULL},
    {"type", NULL, NULL},
    {"utf8", NULL, utf8_members},
};

enum { LIBRARIES = sizeof libraries / sizeof *libraries };

const char *gl_library_name(int number) { return number >= 0 && number < LIBRARIES ? libraries[number].name : NULL; }

const char *gl_member_name(int number, int member) {
    if (number < 0 || number >= LIBRARIES || !libraries[number].members) return NULL;
    return libraries[number].members[member];
}

// Its address is the key of the libraries' values in the registry.
static const char values_key = 0;

// Wraps the function on top of the stack in the one that counts its work, if the name has one.
static void wrap(lua_State *lua, const char *name) {
    lua_CFunction function = strncmp(name, "math.", 5) == 0 && lua_isfunction(lua, -1) ? counted : NULL;
    for (const luaL_Reg *entry = wrapped; entry->name; entry++) {
        if (strcmp(entry->name, name) == 0) function = entry->func;
    }
    if (function) lua_pushcclosure(lua, function, 1);
}

static int refuse_change(lua_State *lua) {
    const char *name = lua_tostring(lua, lua_upvalueindex(1));
    return luaL_error(lua, "'%s' cannot be changed", name);
}

// A userdata, since raw access, which ignores metatables, is possible only for tables.
static void push_read_only(lua_State *lua, const char *name, lua_CFunction on_write) {
    lua_newuserdatauv(lua, 0, 0);
    lua_insert(lua, -2);
    lua_createtable(lua, 0, 2);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "__index");
    lua_pushstring(lua, name);
    lua_pushcclosure(lua, on_write, 1);
    lua_setfield(lua, -2, "__newindex");
    lua_setmetatable(lua, -2);
}

static void push_members(lua_State *lua, const library *library) {
    lua_createtable(lua, 0, 16);
    lua_getglobal(lua, library->name);
    for (const char *const *member = library->members; *member; member++) {
        if (library->members == table_members && strcmp(*member, "sort") == 0) {
            lua_pushcfunction(lua, gl_sort);
        } else {
            lua_getfield(lua, -1, *member);
            char name[32];
            snprintf(name, sizeof name, "%s.%s", library->name, *member);
            wrap(lua, name);
        }
        lua_setfield(lua, -3, *member);
    }
    lua_pop(lua, 1);
    push_read_only(lua, library->name, refuse_change);
}

static void push_value(lua_State *lua, const library *library) {
    if (library->members) {
        push_members(lua, library);
    } else if (library->function) {
        lua_pushcfunction(lua, library->function);
    } else {
        lua_getglobal(lua, library->name);
        wrap(lua, library->name);
    }
}

static int unknown_name(lua_State *lua) { return luaL_error(lua, "there is no variable '%s'", luaL_tolstring(lua, 2, NULL)); }

static int global_assignment(lua_State *lua) {
    return luaL_error(lua, "'%s' is no local variable, and nothing else can be assigned to", luaL_tolstring(lua, 2, NULL));
}

// Pushes the replacement of the global table, which has no variables.
static void push_nothing(lua_State *lua) {
    lua_pushcfunction(lua, unknown_name);
    push_read_only(lua, "", global_assignment);
}

static void open_originals(lua_State *lua) {
    luaL_requiref(lua, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(lua, LUA_MATHLIBNAME, luaopen_math, 1);
    luaL_requiref(lua, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(lua, LUA_TABLIBNAME, luaopen_table, 1);
    luaL_requiref(lua, LUA_UTF8LIBNAME, luaopen_utf8, 1);
    lua_settop(lua, 0);
}

// Makes Lua's own libraries unreachable, except for the functions taken from them.
static void close_originals(lua_State *lua) {
    push_nothing(lua);
    lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_newtable(lua);
    lua_setfield(lua, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    // Texts have no methods, and are no numbers.
    lua_pushliteral(lua, "");
    lua_pushnil(lua);
    lua_setmetatable(lua, -2);
    lua_settop(lua, 0);
}

void gl_open_libraries(lua_State *lua) {
    open_originals(lua);
    lua_createtable(lua, LIBRARIES, 0);
    for (int number = 0; number < LIBRARIES; number++) {
        push_value(lua, &libraries[number]);
        lua_rawseti(lua, -2, number + 1);
    }
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &values_key);
    close_originals(lua);
}

void gl_push_library(lua_State *lua, int number) {
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &values_key);
    lua_rawgeti(lua, -1, number + 1);
    lua_remove(lua, -2);
}
