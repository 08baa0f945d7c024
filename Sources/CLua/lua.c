#include "CLua.h"

#include <lauxlib.h>
#include <lua.h>

int gl_version(void) { return LUA_VERSION_NUM; }
