// Parts that a session loses when its flow changes: running timers, variables and children.

import Texts

/// A part of a session that is lost because the changed definition of its flow lacks it.
package struct LostPart: Equatable {
    package enum Kind: String, CaseIterable {
        case timer, variable
        case child = "child session"
    }

    package enum Content: Equatable {
        /// A running timer ends, with its remaining time.
        case timer(left: Duration)
        /// A variable of a flow file's context, with its value.
        case variable(JSON)
        /// A session that the state no longer invokes is dropped. The part's name is the invocation's id.
        case child
    }

    package let name: String
    /// Its session's state.
    package let state: String
    package let content: Content

    package var kind: Kind {
        switch content {
        case .timer: .timer
        case .variable: .variable
        case .child: .child
        }
    }

    /// Whether it is a variable with the default of these parameters: the session had no value of its own.
    package func isDefault(of parameters: [Parameter]) -> Bool {
        guard case .variable(let value) = content else { return false }
        return parameters.first { $0.name == name }?.standard == value
    }

    /// The warning about it; `isPlanned` if it is not lost yet.
    fileprivate func sentence(in session: String, isPlanned: Bool = false) -> String {
        "session '\(session.shortened)' in state '\(state.shortened)': its \(kind.rawValue) '\(name.shortened)' "
            + "has no counterpart in the new file and \(kind.loss(of: 1, isPlanned: isPlanned))\(detail)"
    }

    private var detail: String {
        switch content {
        case .timer(let left): ", with \(Duration.milliseconds(left.milliseconds).written) left"
        case .variable(let value): ", with the value \(value.description.shortened)"
        case .child: ""
        }
    }
}

extension LostPart.Kind {
    /// The end of a sentence about this number of lost parts.
    fileprivate func loss(of count: Int, isPlanned: Bool) -> String {
        switch self {
        case .timer: isPlanned ? "would end" : count == 1 ? "ends" : "end"
        case .variable: isPlanned ? "would be lost" : count == 1 ? "is lost" : "are lost"
        case .child: isPlanned ? "would be dropped" : count == 1 ? "is dropped" : "are dropped"
        }
    }
}

/// Parts that sessions of one flow lose. The first ones are named, all are counted.
package struct LostParts: Equatable {
    package struct Named: Equatable {
        package let session: String
        package let part: LostPart
        /// How many more sessions lose the same value of this variable.
        fileprivate(set) var others = 0

        package func sentence(isPlanned: Bool = false) -> String {
            let also = others == 0 ? "" : ", as in \("other session".counted(others))"
            return part.sentence(in: session, isPlanned: isPlanned) + also
        }
    }

    package let flow: String
    package private(set) var named: [Named] = []
    private var counts: [LostPart.Kind: Int] = [:]
    /// Whether each value of a variable is named once, where the initial values are unknown: most sessions may have them.
    private let groupsValues: Bool

    private static let maxNamed = 10

    package init(of flow: String, groupingValues groupsValues: Bool = false) {
        (self.flow, self.groupsValues) = (flow, groupsValues)
    }

    package mutating func add(_ lost: [LostPart], of session: @autoclosure () -> String) {
        for part in lost {
            counts[part.kind, default: 0] += 1
            if let index = groupsValues ? index(ofValueIn: part) : nil {
                named[index].others += 1
            } else if named.count < Self.maxNamed {
                named.append(Named(session: session(), part: part))
            }
        }
    }

    /// The index of a session that loses the same value of this variable.
    private func index(ofValueIn part: LostPart) -> Int? {
        guard part.kind == .variable else { return nil }
        return named.firstIndex { $0.part.name == part.name && $0.part.content == part.content }
    }

    package func count(of kind: LostPart.Kind) -> Int { counts[kind] ?? 0 }

    /// A warning about each named part, and one about the others of each kind; `isPlanned` if they are not lost yet.
    package func warnings(isPlanned: Bool = false) -> [String] {
        named.map { $0.sentence(isPlanned: isPlanned) } + otherWarnings(isPlanned: isPlanned)
    }

    /// The warnings about the parts that are not named, one for each kind of them.
    package func otherWarnings(isPlanned: Bool = false) -> [String] {
        LostPart.Kind.allCases.compactMap { kind -> String? in
            let others = count(of: kind) - named.reduce(0) { $0 + ($1.part.kind == kind ? 1 + $1.others : 0) }
            guard others > 0 else { return nil }
            let (parts, loss) = ("more \(kind.rawValue)".counted(others), kind.loss(of: others, isPlanned: isPlanned))
            return "flow '\(flow)': \(parts) without a counterpart in the new file \(loss)"
        }
    }
}

/// A session's machine made from its image, and the parts of the image that it lacks.
package typealias RestoredMachine = (machine: AnyMachine, lost: [LostPart])

extension SessionImage {
    /// The member of a flow file's data for what a session remembers beside its variables.
    static var memoryMember: String { "$" }

    /// The parts of the image that a machine made from it lacks: running timers, the oldest first, variables and children.
    package func lostParts(in machine: AnyMachine) -> [LostPart] {
        var lost: [LostPart] = []
        addLostTimers(in: machine, to: &lost)
        if machine.kind.hasVariables { addLostData(in: machine, to: &lost) }
        return lost
    }

    private func addLostTimers(in machine: AnyMachine, to lost: inout [LostPart]) {
        // The span lends its elements: each session that a start restores comes here, and copying its timers took longer than
        // comparing them.
        let timers = timers.span
        for index in timers.indices.reversed() where !machine.hasTimer(timers[index].kind, named: timers[index].name) {
            guard let left = timers[index].left else { continue }
            let passed: Duration = timers[index].isPaused ? .zero : away ?? .zero
            lost.append(LostPart(name: timers[index].name, state: state, content: .timer(left: max(.zero, left - passed))))
        }
    }

    private func addLostData(in machine: AnyMachine, to lost: inout [LostPart]) {
        guard case .object(let members) = data else { return }
        let flow = machine.kind
        for (index, member) in members.enumerated() where !flow.hasParameter(member.name, near: index) {
            if member.name == Self.memoryMember {
                addLostChildren(in: machine, to: &lost)
            } else {
                lost.append(LostPart(name: member.name, state: state, content: .variable(member.value)))
            }
        }
    }

    private func addLostChildren(in machine: AnyMachine, to lost: inout [LostPart]) {
        let saved = ChildSession.ids(savedIn: data)
        guard !saved.isEmpty else { return }
        let kept = machine.children.map(\.id)
        for id in saved where !kept.contains(id) { lost.append(LostPart(name: id, state: state, content: .child)) }
    }
}

extension AnyMachine {
    fileprivate final func hasTimer(_ kind: TimerPlan.Kind, named name: String) -> Bool {
        var isFound = false
        forEachTimer { if $0.plan.kind == kind, $0.plan.name == name { isFound = true } }
        return isFound
    }
}

extension FlowKind {
    /// Whether it has this parameter. It is at `index` unless the definition has changed.
    fileprivate final func hasParameter(_ name: String, near index: Int) -> Bool {
        (index < parameters.count && parameters[index].name == name) || parameters.contains { $0.name == name }
    }
}
