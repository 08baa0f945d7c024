// Environment variables.

import Glibc

/// Nil where the variable is not set, or empty.
package func environmentVariable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}
