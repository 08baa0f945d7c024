// All flows' figures, put together for one answer.

import GameFlow
import Sessions

/// Remembers the names of states between two answers.
final class FlowReports {
    private var names: [ObjectIdentifier: StateNames] = [:]

    /// One for each flow that is or was hosted, in the order in which they came; those that are gone at the end.
    func reports(of sessions: Sessions) -> [FlowReport] {
        let kinds = sessions.countedKinds
        forgetAllBut(kinds)
        var reports: [FlowReport] = []
        var places: [String: Int] = [:]
        let place = { (name: String) in
            if let known = places[name] { return known }
            places[name] = reports.count
            reports.append(FlowReport(name))
            return reports.count - 1
        }
        for kind in kinds { reports[place(kind.name)].add(names(of: kind), at: sessions.timekeeper.now) }
        for (name, past) in sessions.retiredStatistics.sorted(by: { $0.key < $1.key }) { reports[place(name)].add(past) }
        return reports
    }

    /// They keep their kinds, so that no other kind can come to lie where one was.
    private func names(of kind: FlowKind) -> StateNames {
        if let known = names[ObjectIdentifier(kind)] { return known }
        let made = StateNames(kind)
        names[ObjectIdentifier(kind)] = made
        return made
    }

    private func forgetAllBut(_ kinds: [FlowKind]) {
        guard names.count > kinds.count else { return }
        let here = Set(kinds.map { ObjectIdentifier($0) })
        names = names.filter { here.contains($0.key) }
    }
}
