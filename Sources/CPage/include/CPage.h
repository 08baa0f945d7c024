// The page's files, compiled in. In Swift they would be arrays of numbers, which take half a minute to compile.
#pragma once

#include <stddef.h>

struct gamed_page_file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
};

// Returns the file of that number, counted from 0; its name is NULL if there are not so many.
struct gamed_page_file gamed_page_file(size_t number);
