// A client as shared bounds count it: by its token, its address, or its user on this machine.

import Posix

/// A token, a network address or a user of this machine, each with a separate share.
package enum ShareHolder: Hashable, Sendable, CustomStringConvertible {
    case token(String)
    case network([UInt8])
    case user(String)

    /// The address; of IPv6 the half that a network has.
    package init(machine: String) { self = .network(TcpAddress.network(of: machine)) }

    package var description: String {
        switch self {
        case .token(let id): "the token '\(id)'"
        case .network: "this address"
        case .user(let name): "the user '\(name)'"
        }
    }
}

package struct Consumer: Sendable {
    /// The holders of the shares it uses; none for an administrator.
    package let holders: [ShareHolder]
    /// Whether it may use the reserve.
    package let usesReserve: Bool

    /// An administrator, or a health check.
    package static let privileged = Consumer(holders: [], usesReserve: true)

    /// A client that is no longer known.
    package static let nobody = Consumer(holders: [], usesReserve: false)

    package init(holders: [ShareHolder], usesReserve: Bool) { (self.holders, self.usesReserve) = (holders, usesReserve) }

    /// A client over the network.
    package init(_ grant: Grant, _ token: Token?, machine: String?) {
        guard grant.role != .master else {
            self = .privileged
            return
        }
        let holders = [token.map { ShareHolder.token($0.id) }, machine.map { ShareHolder(machine: $0) }].compactMap { $0 }
        self.init(holders: holders, usesReserve: false)
    }

    /// A client on the UNIX socket.
    package init(_ grant: Grant, user: String) {
        self = grant.role == .master ? .privileged : Consumer(holders: [.user(user)], usesReserve: true)
    }
}
