// The name of this machine.

import Glibc

package enum MachineName {
    package static var own: String {
        var name = [CChar](repeating: 0, count: 256)
        let failed = gethostname(&name, 255) != 0
        return failed ? "localhost" : String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
