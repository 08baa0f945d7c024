// System calls for systemd's journal that Swift cannot make: files in memory, and descriptors in datagrams.
#pragma once

// Creates a file in memory that is closed on exec and can be sealed. Returns its descriptor, or -1 on failure.
int gamed_memory_file(const char *name);

// Seals the file against any change. Returns 0 on success.
int gamed_seal(int file);

// Sends a descriptor to an address in a datagram of its own, without waiting. Returns -1 on failure.
long gamed_send_descriptor(int from, const void *to, unsigned int size, int descriptor);
