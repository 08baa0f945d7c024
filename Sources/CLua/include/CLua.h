// Lua behind a face that Swift can call: every call runs protected, so that no error of Lua's jumps across a Swift frame.
#ifndef CLUA_H
#define CLUA_H

/// The version of Lua that it was built with: 504 for 5.4.
int gl_version(void);

#endif
