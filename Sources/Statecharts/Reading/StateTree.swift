// The tree of states: their names, kinds and ids, before anything in them is read.

import JSON
import Texts

/// The states in document order, each before its children.
struct StateTree {
    /// A state's entry in the file.
    struct Draft {
        let fields: Fields<StateKey>
        /// Where its name stands; of the flow, where its object begins.
        let offset: Int
    }

    var states: [ChartStateNode] = []
    var drafts: [Draft] = []
    private(set) var numbers: [String: Int] = [:]
    var ids: [String: Int] = [:]
    var isTooLarge = false

    var paths: [String] { states.dropFirst().map(\.path) }

    mutating func add(_ node: ChartStateNode, _ draft: Draft) -> Int {
        let number = states.count
        states.append(node)
        drafts.append(draft)
        if let parent = node.parent {
            states[parent].children.append(number)
            numbers[node.path] = number
        }
        return number
    }

    /// The path of what another state has under a name, or further below under a dotted path.
    func path(_ name: Substring, below state: Int) -> String { state == 0 ? String(name) : states[state].path + "." + name }

    /// A state below, by dotted path.
    func descendant(_ path: Substring, of state: Int) -> Int? { numbers[self.path(path, below: state)] }

    /// The name of a state's `done` event without its beginning, and of its first unnamed timer.
    func name(of state: Int) -> String { state == 0 ? states[0].key : states[state].path }

    func keys(of states: [Int]) -> [String] { states.map { self.states[$0].key } }
}

extension ChartReader {
    func readTree(_ root: LocatedJSON, fileName: String) -> Fields<StateKey> {
        let fields = problems.fields(root, StateKey.self, "a flow", without: StateKey.ofStates)
        name = flowName(fields, fileName)
        let kind = kind(of: fields, isRoot: true)
        let node = ChartStateNode(key: name, path: "", kind: kind, parent: nil)
        let number = tree.add(node, StateTree.Draft(fields: fields, offset: root.offset))
        tree.ids[name] = number
        if !fields.has(.states) { problems.error(root.offset, "a flow has states: states: { lobby: { … }, … }") }
        addStates(of: fields, below: number)
        return fields
    }

    private func flowName(_ fields: Fields<StateKey>, _ fileName: String) -> String {
        let offset = fields[.id]?.value.offset ?? fields.offset
        let given = fields[.id].map { problems.text($0.value, "the 'id' of a flow") ?? "unnamed" }
        let name = given ?? fileName
        if let complaint = NameRules.complaint(aboutFlow: name) {
            problems.error(offset, complaint + (given == nil ? "; give it an 'id', as its file's name is not a valid one" : ""))
        }
        return name
    }

    private func addStates(of fields: Fields<StateKey>, below parent: Int) {
        guard let value = fields.value(.states) else { return }
        let members = problems.members(value, "'states'")
        if members.isEmpty, value.members != nil {
            problems.error(value.offset, "'states' is empty; it has one state at least")
        }
        for member in members where !tree.isTooLarge { addState(member, below: parent) }
    }

    private func addState(_ member: LocatedJSON.Member, below parent: Int) {
        let count = tree.states.count - 1
        tree.isTooLarge = !problems.hasRoom(count, atMost: ChartBounds.states, "states", at: member.offset)
        if tree.isTooLarge { return }
        if let complaint = NameRules.complaint(about: member.name, of: "a state") { problems.error(member.offset, complaint) }
        if member.name == Self.back {
            problems.error(
                member.offset, "\(Self.back.quoted) is the target that leads back, and no state; give the state another name")
        }
        let fields = problems.fields(member.value, StateKey.self, without: StateKey.ofFlow)
        let path = tree.path(member.name[...], below: parent)
        let node = ChartStateNode(key: member.name, path: path, kind: kind(of: fields, isRoot: false), parent: parent)
        let number = tree.add(node, StateTree.Draft(fields: fields, offset: member.offset))
        fields.value(.id).map { addId($0, of: number) }
        addStates(of: fields, below: number)
    }

    private func addId(_ value: LocatedJSON, of state: Int) {
        guard let id = problems.name(value, "an 'id'", { NameRules.complaint(about: $0, of: "an id") }) else { return }
        if let other = tree.ids[id] {
            let owner = other == 0 ? "the flow itself" : "the state \(tree.states[other].path.quoted)"
            problems.error(value.offset, "the id \(id.quoted) is that of \(owner) already")
        } else {
            tree.ids[id] = state
        }
    }
}

enum NameRules {
    /// Returns the problem of a name of one word (a state, a timer, an id), or nil.
    static func complaint(about name: String, of thing: String) -> String? {
        if let complaint = general(name, thing) { return complaint }
        guard let mark = name.first(where: { ".,#/*".contains($0) }) else { return nil }
        return "\(thing) has no '\(mark)' in its name, as \(name.quoted) has; write '-' or '_' there"
    }

    /// The same for an event's name: words with dots between them.
    static func complaint(aboutEvent name: String) -> String? {
        if let complaint = general(name, "an event") { return complaint }
        if let mark = name.first(where: { ",#/*".contains($0) }) {
            return "an event has no '\(mark)' in its name, as \(name.quoted) has; write '-', '_' or '.' there"
        }
        guard !name.hasPrefix("."), !name.hasSuffix("."), !name.contains("..") else {
            return "dots separate the words of an event's name, and not as in \(name.quoted)"
        }
        guard let word = ["after.", "every.", "left."].first(where: name.hasPrefix) else { return nil }
        return "events whose names begin with '\(word)' are those of timers; call it something else than \(name.quoted)"
    }

    /// The same for the id of a delayed event; without an id, the event's name stands for it.
    static func complaint(aboutId id: String) -> String? {
        if let complaint = general(id, "an id") { return complaint }
        guard let mark = id.first(where: { ",#/*".contains($0) }) else { return nil }
        return "an id has no '\(mark)' in it, as \(id.quoted) has; write '-', '_' or '.' there"
    }

    /// The same for a flow's name.
    static func complaint(aboutFlow name: String) -> String? {
        if let complaint = general(name, "a flow") { return complaint }
        let isAllowed = name.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains($0))
        }
        return isAllowed ? nil : "a flow's name has letters, digits, '-' and '_', and not as in \(name.quoted)"
    }

    /// The same for a variable's name, which expressions use.
    static func complaint(aboutVariable name: String) -> String? {
        if let complaint = general(name, "a variable", instead: "'_'") { return complaint }
        return ExpressionNames.refusal(ofVariable: name).map { "\(name.quoted) \($0); call the variable something else" }
    }

    private static func general(_ name: String, _ thing: String, instead: String = "'-' or '_'") -> String? {
        if name.isEmpty { return "\(thing) needs a name, and this one is empty" }
        if name.utf8.count > ChartBounds.nameBytes {
            return "a name has at most \(ChartBounds.nameBytes) bytes, and \(name.quoted) has \(name.utf8.count)"
        }
        if name.unicodeScalars.contains(where: \.isUnprintable) {
            return "\(thing) has no control characters in its name, as \(name.quoted) has"
        }
        if name.unicodeScalars.contains(where: \.properties.isWhitespace) {
            return "\(thing) has no blanks in its name, as \(name.quoted) has; write \(instead) there"
        }
        return nil
    }
}
