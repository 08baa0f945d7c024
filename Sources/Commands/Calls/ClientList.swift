// The connected clients, as commands see them.

package protocol ClientList: AnyObject {
    /// The limits are others now.
    func applyLimits()
    /// The ids of all clients, in order of arrival.
    var ids: [Int] { get }
    /// Nil if it has disconnected.
    func client(id: Int) -> Client?
    /// The fields of INFO's section `Clients`, without `wrong_tokens`.
    var report: [(String, String)] { get }
    var statistics: ClientStatistics { get }
}

/// How many clients there are, and were.
package struct ClientStatistics {
    /// Connections that are open.
    package var unix = 0
    package var tcp = 0
    /// Connections since the start.
    package var acceptedUnix = 0
    package var acceptedTcp = 0
    package var refused = 0
    package var cutOff = 0
    /// Bytes held for all of them together.
    package var bytes = 0
    /// When the TLS certificate expires, in seconds since 1970; nil without one.
    package var certificateExpiry: Int?

    package init() {}
}
