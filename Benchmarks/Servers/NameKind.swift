// The names of sessions and keys, the same on both sides.

import Foundation

/// The form of names: redis-benchmark puts twelve digits at their end.
enum NameKind: String, CaseIterable {
    case uuid = "UUIDs"
    case short = "16 bytes"

    private var prefix: String {
        switch self {
        case .uuid: "3f2c9a10-7b1e-4c55-9d2f-"
        case .short: "key:"
        }
    }

    /// A random one, as redis-benchmark writes it.
    var anyOne: String { prefix + "__rand_int__" }

    func name(_ number: Int) -> String { prefix + String(format: "%012d", number) }
}
