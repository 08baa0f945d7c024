// A named value with its bounds: an event's payload, or a member of a state's data.

import Texts

/// The declaration of an event's payload. The same declaration can bound a value of a state, in the flow's `fields`.
public struct PayloadKind: Sendable, Equatable {
    /// The JSON type of a value.
    public enum Shape: String, Sendable {
        /// A whole number.
        case integer
        /// A number with or without a fraction.
        case number
        /// A text.
        case text
        /// True or false.
        case boolean
        /// An object with declared members.
        case object

        /// In words: `a whole number`.
        package var words: String {
            switch self {
            case .integer: "a whole number"
            case .number: "a number"
            case .text: "a text"
            case .boolean: "true or false"
            case .object: "an object"
            }
        }
    }

    /// The field's name.
    public let name: String
    /// The type of its value.
    public let shape: Shape
    /// An object's members.
    public let fields: [PayloadKind]
    /// Whether an object may lack it, or have null in its place.
    public private(set) var isOptional = false
    /// The value of a state's field that the data lack; nil if the field is required.
    public private(set) var defaultValue: JSON?
    @usableFromInline let bounds: ValueBounds
    /// The flow's text for the allowed values, in place of the text derived from the bounds.
    let ownHint: String?

    init(_ name: String, _ shape: Shape, _ bounds: ValueBounds, fields: [PayloadKind] = [], hint: String?) {
        self.name = name
        self.shape = shape
        self.bounds = bounds
        self.fields = fields
        ownHint = hint
    }

    /// A field of that name and type.
    public init(_ name: String, _ shape: Shape, hint: String? = nil) {
        self.init(name, shape, .none, hint: hint)
    }

    /// A whole number, in this range: 0...Int.max is "0 or more".
    public static func integer(_ name: String, in range: ClosedRange<Int>? = nil, hint: String? = nil) -> PayloadKind {
        PayloadKind(name, .integer, range.map { .integers($0) } ?? .none, hint: hint)
    }

    /// A number with or without a fraction, in this range.
    public static func number(_ name: String, in range: ClosedRange<Double>? = nil, hint: String? = nil) -> PayloadKind {
        PayloadKind(name, .number, range.map { .numbers($0) } ?? .none, hint: hint)
    }

    /// A text, or one of these.
    public static func text(_ name: String, oneOf choices: [String] = [], hint: String? = nil) -> PayloadKind {
        PayloadKind(name, .text, choices.isEmpty ? .none : .texts(choices), hint: hint)
    }

    /// A text with this many characters, as Unicode counts them.
    public static func text(_ name: String, length: ClosedRange<Int>, hint: String? = nil) -> PayloadKind {
        PayloadKind(name, .text, .lengths(length), hint: hint)
    }

    /// True or false.
    public static func boolean(_ name: String, hint: String? = nil) -> PayloadKind { PayloadKind(name, .boolean, hint: hint) }

    /// An object with these members. It may have others too, which a flow file never sees.
    public static func object(_ name: String, _ fields: [PayloadKind], hint: String? = nil) -> PayloadKind {
        PayloadKind(name, .object, .none, fields: fields, hint: hint)
    }

    /// The same, where an object may lack it.
    public var optional: PayloadKind {
        var same = self
        same.isOptional = true
        return same
    }

    /// The same, with a value for states that a session is created in or forced into without it.
    public func defaulting(to value: JSON) -> PayloadKind {
        var same = self
        same.defaultValue = value
        return same
    }

    // MARK: In words

    /// The allowed values, in words: `1 to 4`. Derived from the bounds, unless the flow gives its own text.
    public var hint: String? { ownHint ?? bounds.words ?? fieldsInWords }

    private var fieldsInWords: String? {
        guard !fields.isEmpty else { return nil }
        return "{" + fields.map { $0.inWords + ($0.isOptional ? " (optional)" : "") }.joined(separator: "; ") + "}"
    }

    /// `episode: a whole number, 1 to 4`.
    private var inWords: String { "\(name): \(shape.words)\(hint.map { ", \($0)" } ?? "")" }

    /// Why this value is not allowed.
    func problem(with value: JSON?, of carrier: String) -> PayloadProblem {
        guard let value, case .object = value, shape == .object, let field = fields.first(where: { !$0.isAllowed(in: value) })
        else { return PayloadProblem(self, of: carrier) }
        return PayloadProblem(self, of: carrier, member: field.name, given: value[field.name]?.description)
    }

    // MARK: A value and its bounds as JSON Schema says them

    /// `{"name":"episode","type":"integer","minimum":1,"maximum":4}`: JSON Schema, with the field's name before it, and `"optional":true` after
    /// it if the field may be missing. JSON Schema says that of an object's members alone.
    public var schema: JSON {
        let optional = isOptional ? [JSON.Member("optional", true)] : []
        return .object([JSON.Member("name", .string(name))] + schemaMembers + optional)
    }

    fileprivate var schemaMembers: [JSON.Member] {
        var members = [JSON.Member("type", .string(shape.schemaType))] + JSON.object(having: bounds.schema).members
        if let ownHint { members.append(JSON.Member("description", .string(ownHint))) }
        guard !fields.isEmpty else { return members }
        let required = fields.filter { !$0.isOptional }.map { JSON.string($0.name) }
        members.append(JSON.Member("properties", .object(fields.map { JSON.Member($0.name, .object($0.schemaMembers)) })))
        if !required.isEmpty { members.append(JSON.Member("required", .array(required))) }
        return members
    }
}

extension Parameter {
    /// The same for a parameter, with its default.
    public var schema: JSON {
        let fallback = standard.map { [JSON.Member("default", $0)] } ?? []
        return .object([JSON.Member("name", .string(name))] + kind.schemaMembers + fallback)
    }
}

extension PayloadKind.Shape {
    /// JSON Schema's name of it.
    fileprivate var schemaType: String {
        switch self {
        case .integer: "integer"
        case .number: "number"
        case .text: "string"
        case .boolean: "boolean"
        case .object: "object"
        }
    }
}

// MARK: - Checks values against their declarations: payloads, states' values, and arguments of transitions.

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

    /// An allowed value as a flow sees it: `20.0` is 20 where an integer is declared.
    package func normalized(_ value: JSON) -> JSON {
        switch (shape, value) {
        case (.integer, .number): value.integer.map { .integer($0) } ?? value
        case (.object, .object(let members)): normalized(members, value)
        default: value
        }
    }

    /// Integers are nearly always sent as such, and the object is not copied then.
    private func normalized(_ members: [JSON.Member], _ object: JSON) -> JSON {
        let fractions = members.indices.filter { if case .number = members[$0].value { true } else { false } }
        guard !fractions.isEmpty else { return object }
        var members = members
        for index in fractions {
            let member = members[index]
            guard let field = fields.first(where: { $0.name == member.name }) else { continue }
            members[index] = JSON.Member(member.name, field.normalized(member.value))
        }
        return .object(members)
    }

    private func allowsMembers(of object: JSON) -> Bool {
        guard case .object = object else { return fields.isEmpty }
        return fields.allSatisfy { $0.isAllowed(in: object) }
    }

    /// Whether the object's member of this name is allowed, or may be missing and is.
    private func isAllowed(in object: JSON) -> Bool { object[name].map { allows($0) } ?? isOptional }

    /// The declared part of the payload, nil if it may be omitted and is. Throws unless it is allowed.
    @discardableResult
    package func check(_ payload: Payload?, of event: String) throws(FlowError) -> JSON? {
        let value = part(of: payload)
        if value == nil, isOptional { return nil }
        guard let value, allows(value) else { throw .badPayload(problem(with: value, of: event)) }
        return value
    }

    /// The payload's field of this name; an object is the payload itself, with its declared members, and may be missing if all of them are
    /// optional. Arrays and objects are not built where plain values are declared: a megabyte of them takes up to 40 ms.
    private func part(of payload: Payload?) -> JSON? {
        guard shape == .object else { return payload?.beginning(ofField: name) }
        guard let payload else { return fields.allSatisfy(\.isOptional) ? .object([]) : nil }
        let names = fields.map(\.name)
        guard fields.allSatisfy(\.fields.isEmpty) else {
            // Objects in it are built. Of too many values, none is allowed.
            return payload.part(names) ?? .array([])
        }
        return payload.beginnings(of: names)
    }

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
        .badPayload(PayloadProblem(self, of: nil, given: value))
    }
}

// MARK: For states

extension PayloadKind {
    /// Whether the value is the text as which a state saves a number that JSON cannot hold, and there are no bounds.
    fileprivate func allowsText(ofNumber value: JSON) -> Bool {
        guard shape == .integer || shape == .number, bounds == .none else { return false }
        guard let text = value.text, Int(text) == nil else { return false }
        return Int128(text) != nil || UInt128(text) != nil || Double(text)?.isFinite == false
    }
}

extension [PayloadKind] {
    /// The values that data need not give, by name.
    var standards: [String: JSON] {
        reduce(into: [:]) { standards, field in
            if let value = field.defaultValue { standards[field.name] = value }
        }
    }

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
            guard field.allows(member.value) || field.allowsText(ofNumber: member.value) else {
                throw .badPayload(PayloadProblem(field, of: state))
            }
        } else if !member.value.isTimer {
            try check(member.value, of: state)
        }
    }
}
