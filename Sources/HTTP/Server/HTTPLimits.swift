// What a client of the page may use. libevent's own defaults have no bounds.

/// Bounds of what clients may send and hold.
package struct HTTPLimits: Equatable, Sendable {
    package var headerBytes = 16 << 10
    package var bodyBytes = 2 << 20
    package var connections = 2_048
    /// A request has come whole after so many seconds from the beginning of the connection, or from the last answer.
    package var requestSeconds = 30
    /// A client that takes nothing for so long is cut off.
    package var silenceSeconds = 30

    package init() {}
}
