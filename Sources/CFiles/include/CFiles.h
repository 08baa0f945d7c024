// Files that are compiled in: the page's, and the schema of flow files. In Swift they would be arrays of numbers, which take half a minute to compile.
#pragma once

#include <stddef.h>

struct gamed_file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
};

// Returns the page's file of that number, counted from 0; its name is NULL if there are not so many.
struct gamed_file gamed_page_file(size_t number);

// The JSON Schema of flow files.
struct gamed_file gamed_flow_schema(void);
