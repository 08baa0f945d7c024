// Settings that exclude each other, and settings that have no effect beside others.

import Commands
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

/// A daemon starts all the same: a file may be shared, or an option be for one start.
extension Options {
    var ineffectiveSettings: [FileWarning] {
        reasons.flatMap { keys, reason in
            keys.compactMap { key in
                guard let setting = origins.settings[key], !setting.values.isEmpty else { return nil }
                let subject = if case .file = setting.origin { key } else { "it" }
                return FileWarning("\(setting.origin)", "\(subject) has no effect \(reason)")
            }
        }
    }

    /// Settings that would have no effect, and why.
    private var reasons: [(keys: [String], reason: String)] {
        let page = (["http-open", "http-name", "http-open-metrics"], "beside --http none: there is no page")
        return (web.place == .none ? [page] : []) + storageReasons
    }

    private var storageReasons: [(keys: [String], reason: String)] {
        if cluster.store != nil { return [(["accept-loss"], "beside --store: it is for a data directory")] }
        guard dataDirectory == nil else { return [] }
        switch persistence.location {
        case .none where persistence.durability == .none: return [(["accept-loss"], "beside --data none: nothing is stored")]
        case .none: return [(["durability", "accept-loss"], "beside --data none: nothing is stored")]
        case _ where persistence.durability == .none:
            return [(["data", "accept-loss"], "beside --durability none: nothing is stored")]
        case .standard, .directory:
            return [(["durability", "accept-loss"], "with --time virtual, unless --data DIR is given: nothing is stored")]
        }
    }
}
