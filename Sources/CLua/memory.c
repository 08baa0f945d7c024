// The memory of a sandbox: counted and bounded.
#include "sandbox.h"

#include <stdlib.h>

enum { TEXT_HEADER = 64 };

// The bounds do not depend on earlier evaluations, except for their uncollected garbage.
static int is_refused(gl_sandbox *sandbox, int is_new, size_t old_size, size_t new_size) {
    size_t more = is_new ? new_size : new_size - old_size;
    if (sandbox->evaluating) {
        // For a new block, the old size is its kind.
        if (is_new && old_size == LUA_TSTRING && new_size > GL_LONGEST_TEXT + TEXT_HEADER) return 1;
        if (sandbox->given + new_size > GL_TOTAL_MEMORY || sandbox->shortages > GL_COLLECTIONS) return 1;
    }
    if (more <= sandbox->limit && sandbox->used <= sandbox->limit - more) return 0;
    sandbox->shortages++;
    return 1;
}

void *gl_allocate(void *context, void *block, size_t old_size, size_t new_size) {
    gl_sandbox *sandbox = context;
    size_t size = block ? old_size : 0;
    if (new_size == 0) {
        free(block);
        sandbox->used -= size;
        return NULL;
    }
    // Shrinking must not fail.
    if (new_size > size && is_refused(sandbox, !block, old_size, new_size)) return NULL;
    void *result = realloc(block, new_size);
    if (!result) return NULL;
    sandbox->used += new_size - size;
    if (new_size > size) sandbox->given += new_size;
    if (new_size > sandbox->largest) sandbox->largest = new_size;
    if (!block && old_size == LUA_TSTRING && new_size > sandbox->longest) sandbox->longest = new_size;
    return result;
}

// Returns the block with room for at least `wanted` elements. Returns NULL and leaves the block unchanged if memory is short.
void *gl_grown(void *block, size_t *room, size_t wanted, size_t size) {
    if (wanted <= *room) return block;
    size_t more = *room * 2 > wanted ? *room * 2 : wanted + 16;
    void *result = realloc(block, more * size);
    if (result) *room = more;
    return result;
}

static int collect(lua_State *lua) {
    lua_gc(lua, LUA_GCCOLLECT);
    return 0;
}

static void collect_protected(lua_State *lua) {
    lua_pushcfunction(lua, collect);
    if (lua_pcall(lua, 0, 0, 0) != LUA_OK) lua_pop(lua, 1);
}

enum { WASTE = 1 << 18 };

// Called after an evaluation. Collects only if memory has grown, so that plain arithmetic does not pay for it.
void gl_collect_if_grown(gl_sandbox *sandbox) {
    size_t most = sandbox->settled < WASTE ? WASTE : sandbox->settled < GL_MEMORY / 2 ? sandbox->settled : GL_MEMORY / 2;
    if (sandbox->used > sandbox->settled + most) collect_protected(sandbox->lua);
}

void gl_settle(gl_sandbox *sandbox) {
    lua_settop(sandbox->lua, 0);
    collect_protected(sandbox->lua);
    sandbox->settled = sandbox->used;
}

// Called during compilation. Collections become rarer as they take longer.
void gl_settle_if_grown(gl_sandbox *sandbox) {
    if (sandbox->used > 2 * sandbox->settled + WASTE) gl_settle(sandbox);
}

size_t gl_memory(const gl_sandbox *sandbox) { return sandbox->used; }
