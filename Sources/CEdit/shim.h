// libedit, the line editor, as Swift sees it. Only GameControl imports it.
#pragma once

#if !__has_include(<editline/readline.h>)
#error "libedit is missing: install Debian's package libedit-dev, or run 'make deps'"
#endif

#include <editline/readline.h>
#include <wchar.h>

// Sets C's global variables, which Swift treats as shared between threads.
static inline void gamed_edit_set_up(const char *name, rl_completion_func_t *complete, const char *word_breaks) {
    rl_readline_name = name;
    rl_attempted_completion_function = complete;
    rl_completer_word_break_characters = (char *)word_breaks;
    rl_basic_word_break_characters = word_breaks;
    rl_completer_quote_characters = 0;
}

// Ends completion with the found words, without file names.
static inline void gamed_edit_found_all(void) { rl_attempted_completion_over = 1; }

// The line being edited.
static inline const char *gamed_edit_line(void) { return rl_line_buffer; }

// The last line of the history; NULL if there is none.
static inline const char *gamed_edit_last(void) {
    HIST_ENTRY *entry = history_length > 0 ? history_get(history_base + history_length - 1) : 0;
    return entry ? entry->line : 0;
}

// The number of columns of a character on a terminal. The C library hides it behind a feature macro.
extern int wcwidth(wchar_t);
