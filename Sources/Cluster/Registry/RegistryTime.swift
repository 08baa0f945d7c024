// A point in time on the registry's own clock, which alone decides whether a lease has run out.

package struct RegistryTime: Hashable, Comparable, Sendable {
    /// Microseconds since 1970, as PostgreSQL has them.
    package let microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    package static func < (left: RegistryTime, right: RegistryTime) -> Bool {
        left.microseconds < right.microseconds
    }
}
