// The variables of the context, with their types and initial values.

import GameFlow
import JSON
import Texts

struct ContextTable {
    var all: [ContextVariable] = []
    var numbers: [String: Int] = [:]

    var names: [String] { all.map(\.name) }

    func advice(for name: String) -> String {
        all.isEmpty ? "declare it: context: { \(name.shortened): 0 }" : names.nearest(to: name)
    }
}

extension ChartReader {
    func readContext(_ value: LocatedJSON) {
        for member in problems.members(value, "'context'") {
            guard context.all.count < ChartBounds.variables else {
                problems.error(
                    member.offset, "a context has at most \(ChartBounds.variables) variables, and here comes one more")
                return
            }
            if let complaint = NameRules.complaint(aboutVariable: member.name) { problems.error(member.offset, complaint) }
            context.numbers[member.name] = context.all.count
            let variable = variable(member)
            if let complaint = variable.complaint(aboutLengthOf: variable.initial) {
                problems.error(member.value.offset, complaint)
            }
            context.all.append(variable)
        }
    }

    private func variable(_ member: LocatedJSON.Member) -> ContextVariable {
        guard let fields = declaration(member), let initial = fields.value(.standard) else {
            let initial = member.value.json
            return ContextVariable(name: member.name, initial: initial, kind: PayloadKind(member.name, natural: initial))
        }
        let kind = valueKind(member.name, fields)
        if let kind, !kind.allows(initial.json) {
            problems.wrong(initial, "the default of \(member.name.quoted) is \(kind.words)")
        }
        return ContextVariable(name: member.name, initial: initial.json, kind: kind)
    }

    /// The declaration of a type and bounds: an object with `type` and `default`. Any other object is a value.
    private func declaration(_ member: LocatedJSON.Member) -> Fields<ValueKey>? {
        let keys = (member.value.members ?? []).map(\.name)
        guard keys.contains(ValueKey.type.rawValue) else { return nil }
        guard keys.contains(ValueKey.standard.rawValue) else {
            if keys.allSatisfy({ ValueKey(rawValue: $0) != nil }) {
                problems.warning(
                    member.value.offset,
                    "\(member.name.quoted) is this object; to declare a type, write its 'default' beside it")
            }
            return nil
        }
        let fields = problems.fields(member.value, ValueKey.self)
        for (key, member) in fields.list where ValueKey.ofPayload.contains(key) {
            problems.error(member.offset, "a variable always has a value, and no '\(key.rawValue)'")
        }
        return fields
    }
}

extension PayloadKind {
    /// The type of an initial value; nil for a value that may be anything, and for arrays and objects, which no such type describes.
    fileprivate init?(_ name: String, natural value: JSON) {
        switch value {
        case .bool: self = .boolean(name)
        case .integer: self = .integer(name)
        case .number: self = .number(name)
        case .string: self = .text(name)
        case .null, .array, .object: return nil
        }
    }

    /// `a whole number, 10 to 120`.
    var words: String {
        let type =
            switch shape {
            case .integer: "a whole number"
            case .number: "a number"
            case .text: "a text"
            case .boolean: "true or false"
            case .object: "an object"
            }
        return type + (hint.map { ", \($0)" } ?? "")
    }
}
