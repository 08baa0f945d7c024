// Settings that have no effect beside others. A daemon starts all the same: a file may be shared, or an option be for one start.

import Commands

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
