// Addresses of the options that cannot be listened at together.

import Posix

extension Options {
    /// Throws if two settings name an address that only one socket can have. Otherwise a start would fail as if another program listened there.
    func checkAddresses() throws {
        for (index, (key, address)) in tcpAddresses.enumerated() {
            guard let other = tcpAddresses[..<index].first(where: { address.excludes($0.1) }) else { continue }
            let error = UsageError(
                of: "--\(key)", "\(address) and --\(other.0) \(other.1) exclude each other: give each its own port")
            throw located(error, key, address.description)
        }
    }
}

extension TcpAddress {
    /// Whether only one of both can be listened at. Port 0 takes a free one.
    fileprivate func excludes(_ other: TcpAddress) -> Bool {
        guard port > 0, port == other.port, family == other.family else { return false }
        return host == other.host || isEverywhere || other.isEverywhere
    }
}
