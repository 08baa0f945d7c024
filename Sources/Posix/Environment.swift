// Environment variables.

import Glibc

/// Nil where the variable is not set, or empty.
package func environmentVariable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}

/// Whether the variable's value is text in UTF-8; nil where it is not set, or empty.
package func isEnvironmentText(_ name: String) -> Bool? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(validatingCString: value) != nil
}
