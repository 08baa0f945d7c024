// The arguments of the next call: a list that is reused, so that calls do not allocate.
#include "sandbox.h"

#include <string.h>

void gl_begin(gl_sandbox *sandbox) {
    sandbox->argument_count = 0;
    sandbox->byte_count = 0;
    sandbox->plain = 1;
}

static int add(gl_sandbox *sandbox, gl_value value) {
    if (sandbox->argument_count == sandbox->argument_room) {
        gl_value *grown = gl_grown(sandbox->arguments, &sandbox->argument_room, sandbox->argument_count + 1, sizeof *grown);
        if (!grown) return 0;
        sandbox->arguments = grown;
    }
    sandbox->arguments[sandbox->argument_count++] = value;
    return 1;
}

int gl_add_nil(gl_sandbox *sandbox) { return add(sandbox, (gl_value){.kind = GL_NIL}); }

int gl_add_boolean(gl_sandbox *sandbox, int value) {
    return add(sandbox, (gl_value){.kind = GL_BOOLEAN, .integer = value});
}

int gl_add_integer(gl_sandbox *sandbox, int64_t value) {
    return add(sandbox, (gl_value){.kind = GL_INTEGER, .integer = value});
}

int gl_add_number(gl_sandbox *sandbox, double value) {
    return add(sandbox, (gl_value){.kind = GL_NUMBER, .number = value});
}

int gl_add_container(gl_sandbox *sandbox, int is_object, uint32_t count) {
    sandbox->plain = 0;
    return add(sandbox, (gl_value){.kind = is_object ? GL_OBJECT : GL_ARRAY, .count = count});
}

int gl_add_text(gl_sandbox *sandbox, const char *text, size_t length) {
    sandbox->plain = 0;
    if (length > 0) {
        char *grown = gl_grown(sandbox->bytes, &sandbox->byte_room, sandbox->byte_count + length, 1);
        if (!grown) return 0;
        sandbox->bytes = grown;
        memcpy(grown + sandbox->byte_count, text, length);
    }
    gl_value value = {.kind = GL_TEXT, .count = (uint32_t)length, .integer = (int64_t)sandbox->byte_count};
    sandbox->byte_count += length;
    return add(sandbox, value);
}
