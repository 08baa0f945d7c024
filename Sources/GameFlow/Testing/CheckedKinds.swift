// Remembers checked flows, so that a thousand tests of one flow check it once.

import Synchronization

extension TypedFlowKind {
    /// The same as `check`, unless a kind of the same type, states, events and timers was checked before.
    func checkOnce() throws(FlowProblems) {
        let key = [
            "\(F.self)", name, states.joined(separator: ","), eventNames.joined(separator: ","),
            timers.map(\.name).joined(separator: ","),
        ]
        .joined(separator: ";")
        if checkedKinds.withLock({ $0.contains(key) }) { return }
        try check()
        checkedKinds.withLock { _ = $0.insert(key) }
    }
}

private let checkedKinds = Mutex<Set<String>>([])
