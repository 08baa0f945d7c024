// Where other nodes reach a node's page and its API, and what they need for that.

package struct NodeEndpoint: Hashable, Sendable {
    package let address: NodeAddress
    /// The SHA-256 of the certificate that is shown there; nil where it speaks in clear.
    package let certificate: String?
    /// What requests of other nodes are signed with: whoever knows it may say for whom they ask.
    package let key: String

    package init(address: NodeAddress, certificate: String?, key: String) {
        (self.address, self.certificate, self.key) = (address, certificate, key)
    }

    /// As a browser is given it.
    package var url: String {
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        return "\(certificate == nil ? "http" : "https")://\(host):\(address.port)"
    }
}
