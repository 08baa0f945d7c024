// Where clients find a node.

package struct NodeAddress: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// As MOVED says it: an IPv6 address stands there without brackets.
    package var description: String { "\(host):\(port)" }
}
