// Checks values against their declarations: payloads, states' values, and arguments of transitions.

import Texts

extension PayloadKind {
    /// Whether there is anything to check but the type.
    var isBounded: Bool { bounds != .none || !fields.isEmpty }

    /// Whether the value is of the type and within the bounds.
    public func allows(_ value: JSON) -> Bool {
        if isOptional, value == .null { return true }
        return switch shape {
        case .integer: value.integer.map(bounds.allow) ?? false
        case .number: value.double.map(bounds.allow) ?? false
        case .text: value.text.map(bounds.allow) ?? false
        case .boolean: value.boolean != nil
        case .object: allowsMembers(of: value)
        }
    }

    private func allowsMembers(of object: JSON) -> Bool {
        guard case .object = object else { return fields.isEmpty }
        return fields.allSatisfy { field in object[field.name].map { field.allows($0) } ?? field.isOptional }
    }

    /// Throws unless the payload, or its field of this name, is allowed. An object is the payload itself.
    package func check(_ payload: Payload?, of event: String) throws(FlowError) {
        let value = shape == .object ? payload?.json : payload?.field(name)
        if value == nil, isOptional { return }
        guard let value, allows(value) else { throw .refused(sentence(of: event) + culprit(in: value)) }
    }
}

// MARK: For transitions

extension PayloadKind {
    /// Throws unless the number is within the bounds. For transitions on events that code may send, since nothing decodes those.
    @inlinable
    public func check(_ value: Int) throws(FlowError) {
        guard bounds.allow(value) else { throw outOfBounds("\(value)") }
    }

    /// Throws unless the number is within the bounds.
    public func check(_ value: Double) throws(FlowError) {
        guard bounds.allow(value) else { throw outOfBounds("\(value)") }
    }

    /// Throws unless the text is within the bounds.
    public func check(_ value: String) throws(FlowError) {
        guard bounds.allow(value) else { throw outOfBounds("'\(value.shortened)'") }
    }

    @usableFromInline
    func outOfBounds(_ value: String) -> FlowError {
        .refused("'\(name)' is \(shape.words)\(hint.map { ": \($0)" } ?? ""), and not \(value)")
    }
}

// MARK: For states

extension [PayloadKind] {
    /// Throws if a state's data, which come from outside, have a field of one of these names with a value that is not allowed.
    func check(_ data: JSON, of state: String) throws(FlowError) {
        switch data {
        case .object(let members): for member in members { try check(member, of: state) }
        case .array(let values): for value in values { try check(value, of: state) }
        case .null, .bool, .integer, .number, .string: break
        }
    }

    private func check(_ member: JSON.Member, of state: String) throws(FlowError) {
        if let field = first(where: { $0.name == member.name }) {
            guard field.allows(member.value) else { throw .refused(field.sentence(of: state)) }
        } else if member.value["timer"] == nil {
            try check(member.value, of: state)
        }
    }
}
