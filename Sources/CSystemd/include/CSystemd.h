// What systemd's journal asks for and Swift cannot say: files in memory, and descriptors in datagrams.
#pragma once

// A file in memory that is closed for children, and can be sealed; -1 if there is none.
int gamed_memory_file(const char *name);

// From now on nobody can change it. 0 if that is so.
int gamed_seal(int file);

// Sends a descriptor to an address in a datagram of its own, without waiting; -1 if it could not be sent.
long gamed_send_descriptor(int from, const void *to, unsigned int size, int descriptor);
