// Running timers that a session loses when its flow changes.

import Texts

/// A running timer that ended because the changed definition of its flow lacks it.
package struct EndedTimer: Equatable {
    package let name: String
    /// Its session's state.
    package let state: String
    /// The remaining time.
    package let left: Duration

    /// The warning about it; `isPlanned` if it has not ended yet.
    package func sentence(in session: String, isPlanned: Bool = false) -> String {
        let time = Duration.milliseconds(left.milliseconds).written
        return "session '\(session.shortened)' in state '\(state.shortened)': its timer '\(name.shortened)' has no counterpart "
            + "in the new file and \(isPlanned ? "would end" : "ends"), with \(time) left"
    }
}

/// Running timers that sessions of one flow lose. The first ones are named, all are counted.
package struct EndedTimers: Equatable {
    package struct Named: Equatable {
        package let session: String
        package let timer: EndedTimer
    }

    package let flow: String
    package private(set) var count = 0
    package private(set) var named: [Named] = []

    private static let maxNamed = 10

    package init(of flow: String) { self.flow = flow }

    package mutating func add(_ ended: [EndedTimer], of session: @autoclosure () -> String) {
        guard !ended.isEmpty else { return }
        count += ended.count
        let more = ended.prefix(Self.maxNamed - named.count).map { Named(session: session(), timer: $0) }
        named += more
    }

    /// A warning about each named timer, and one about the others; `isPlanned` if they have not ended yet.
    package func warnings(isPlanned: Bool = false) -> [String] {
        let warnings = named.map { $0.timer.sentence(in: $0.session, isPlanned: isPlanned) }
        return warnings + [othersWarning(isPlanned: isPlanned)].compactMap(\.self)
    }

    /// The warning about the timers that are not named; nil if all are.
    package func othersWarning(isPlanned: Bool = false) -> String? {
        let others = count - named.count
        guard others > 0 else { return nil }
        let end = isPlanned ? "would end" : others == 1 ? "ends" : "end"
        return "flow '\(flow)': \("more timer".counted(others)) without a counterpart in the new file \(end)"
    }
}

/// A session's machine made from its image, and the running timers of the image that it lacks.
package typealias RestoredMachine = (machine: AnyMachine, ended: [EndedTimer])

extension SessionImage {
    /// The running timers of the image, the oldest first, that a machine made from it lacks.
    package func endedTimers(in machine: AnyMachine) -> [EndedTimer] {
        // The span lends its elements: each session that a start restores comes here, and copying its timers took longer than comparing them.
        let timers = timers.span
        var ended: [EndedTimer] = []
        for index in timers.indices.reversed() where !machine.hasTimer(timers[index].kind, named: timers[index].name) {
            guard let left = timers[index].left else { continue }
            let passed: Duration = timers[index].isPaused ? .zero : away ?? .zero
            ended.append(EndedTimer(name: timers[index].name, state: state, left: max(.zero, left - passed)))
        }
        return ended
    }
}

extension AnyMachine {
    fileprivate final func hasTimer(_ kind: TimerPlan.Kind, named name: String) -> Bool {
        var isFound = false
        forEachTimer { if $0.plan.kind == kind, $0.plan.name == name { isFound = true } }
        return isFound
    }
}
