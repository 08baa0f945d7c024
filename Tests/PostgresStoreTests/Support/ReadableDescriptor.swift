// A descriptor that is always readable, so that a wait for something else checks it once and returns.

import Glibc

enum ReadableDescriptor {
    static let always: Int32 = {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0, write(ends[1], "x", 1) == 1 else { return -1 }
        return ends[0]
    }()
}
