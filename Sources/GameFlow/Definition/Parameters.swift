// The parameters of sessions, with names, types, bounds and defaults, and the context that a flow gets.

import Texts

/// The context of a flow that has no parameters.
public struct NoContext: Codable, Sendable {
    /// There is nothing to set.
    public init() {}
}

/// A flow's parameters, as a type: its properties are the parameters, and their initial values the defaults.
///
///     struct Context: SessionContext { var minutes = 60 }
public protocol SessionContext: Codable, Sendable {
    /// Every parameter at its default.
    init()
}

/// A context that is taken as JSON, by a flow that keeps its parameters among its states' data.
package protocol RawContext: Codable, Sendable {
    /// The parameters, complete; nil if none were given.
    init(_ json: JSON?)
}

/// One parameter of a flow.
public struct Parameter: Sendable, Equatable {
    /// Its name, type and bounds.
    let kind: PayloadKind
    /// The default; nil for a required parameter.
    public internal(set) var standard: JSON?

    /// The parameter's name in the context's object.
    public var name: String { kind.name }
    /// The type of its value.
    public var shape: PayloadKind.Shape { kind.shape }

    /// A whole number.
    public static func integer(_ name: String, in range: ClosedRange<Int>? = nil, default standard: Int? = nil) -> Parameter {
        Parameter(kind: .integer(name, in: range), standard: standard.map { .integer($0) })
    }

    /// A number with or without a fraction.
    public static func number(_ name: String, in range: ClosedRange<Double>? = nil, default standard: Double? = nil)
        -> Parameter
    {
        Parameter(kind: .number(name, in: range), standard: standard.map { .number($0) })
    }

    /// A text, or one of these.
    public static func text(_ name: String, oneOf choices: [String] = [], default standard: String? = nil) -> Parameter {
        Parameter(kind: .text(name, oneOf: choices), standard: standard.map { .string($0) })
    }

    /// True or false.
    public static func boolean(_ name: String, default standard: Bool? = nil) -> Parameter {
        Parameter(kind: .boolean(name), standard: standard.map { .bool($0) })
    }

    /// The allowed values, in words: `a whole number from 10 to 120`.
    public var allowed: String {
        switch kind.bounds {
        case .none: shape.words
        case .integers(let range) where range.minimum != nil && range.maximum != nil:
            "\(shape.words) from \(range.lowerBound) to \(range.upperBound)"
        case .numbers(let range) where range.minimum != nil && range.maximum != nil:
            "\(shape.words) from \(range.lowerBound) to \(range.upperBound)"
        case .texts(let choices): "one of " + choices.joined(separator: ", ")
        case .integers, .numbers, .lengths: kind.bounds.words.map { "\(shape.words), \($0)" } ?? shape.words
        }
    }

    fileprivate func allows(_ value: JSON) -> Bool {
        // An object parameter accepts any value: its type is the flow's own.
        shape == .object || kind.allows(value)
    }
}

extension Parameter {
    /// A parameter with the type and bounds of a declared value; it accepts any value if `kind` is nil.
    package init(_ name: String, like kind: PayloadKind?, default standard: JSON) {
        self.init(kind: PayloadKind(name, kind?.shape ?? .object, kind?.bounds ?? .none, hint: nil), standard: standard)
    }
}

extension [Parameter] {
    /// Adds the defaults to the given parameters; throws if one is unknown, missing or out of bounds.
    package func completed(_ given: JSON?, of flow: String) throws(FlowError) -> JSON {
        let given = given ?? .object([])
        guard case .object(let members) = given else {
            throw .refused("the context of a session is an object, and not \(given.description.shortened)")
        }
        for member in members where !contains(where: { $0.name == member.name }) {
            let known = isEmpty ? "it has none" : map(\.name).available
            throw .refused("'\(flow)' has no parameter '\(member.name.shortened)'; \(known)")
        }
        var complete: [JSON.Member] = []
        for parameter in self { complete.append(.init(parameter.name, try parameter.value(in: given))) }
        return .object(complete)
    }

    /// Parameters that a session was begun with, without those that its changed flow lacks. A value that the flow no longer
    /// allows is left out too if the parameter has a default.
    func fitting(_ kept: JSON) -> JSON {
        guard case .object(let members) = kept else { return kept }
        return .object(
            members.filter { member in
                contains { $0.name == member.name && ($0.allows(member.value) || $0.standard == nil) }
            })
    }

    /// The defaults of the parameters that have one.
    var defaults: JSON { .object(compactMap { parameter in parameter.standard.map { .init(parameter.name, $0) } }) }
}

extension Parameter {
    fileprivate func value(in given: JSON) throws(FlowError) -> JSON {
        guard let value = given[name] else {
            guard let standard else { throw .refused("the parameter '\(name)' is missing; it is \(allowed)") }
            return standard
        }
        guard allows(value) else {
            throw .refused("the parameter '\(name)' is \(allowed), and not \(value.description.shortened)")
        }
        return value
    }
}

extension TypedFlow {
    /// The context's names, types and defaults, with the flow's bounds.
    static var allParameters: [Parameter] {
        guard let type = Context.self as? any SessionContext.Type else { return parameters }
        let context = type.init()
        guard case .object(let members)? = try? StateEncoder.encode(context) else { return parameters }
        let found =
            members.map { member in Parameter(member, declared: parameters.first { $0.name == member.name }) }
            + optionals(of: context, besides: members)
        return found + parameters.filter { declared in !found.contains { $0.name == declared.name } }
    }

    /// A problem for each declared parameter that the context does not read.
    static var unknownParameters: [String] {
        if Context.self is any RawContext.Type { return [] }
        let probe = KeyProbe()
        _ = try? Context(from: probe)
        guard probe.type != nil else { return [] }
        return parameters.filter { !probe.isKey($0.name) }.map {
            "the context does not read the parameter '\($0.name)': give it the name of a property, or remove it from 'parameters'"
        }
    }

    /// Optional properties without a value, which are not encoded.
    private static func optionals(of context: any SessionContext, besides members: [JSON.Member]) -> [Parameter] {
        let probe = KeyProbe()
        _ = try? Context(from: probe)
        return Mirror(reflecting: context).children.compactMap { property in
            guard let name = property.label, probe.isKey(name), !members.contains(where: { $0.name == name }) else {
                return nil
            }
            return Parameter(optional: name, type(of: property.value), declared: parameters.first { $0.name == name })
        }
    }
}

extension Parameter {
    /// An optional property that is nil by default.
    fileprivate init(optional name: String, _ type: Any.Type, declared: Parameter?) {
        let shape: PayloadKind.Shape =
            switch type {
            case is Int?.Type: .integer
            case is Double?.Type: .number
            case is String?.Type: .text
            case is Bool?.Type: .boolean
            default: .object
            }
        self.init(kind: (declared?.kind ?? PayloadKind(name, shape)).optional, standard: declared?.standard ?? .null)
    }

    /// A property of a context, with its declared bounds.
    fileprivate init(_ member: JSON.Member, declared: Parameter?) {
        let shape: PayloadKind.Shape =
            switch member.value {
            case .integer: .integer
            case .number: .number
            case .string: .text
            case .bool: .boolean
            case .null, .array, .object: .object
            }
        self.init(kind: declared?.kind ?? PayloadKind(member.name, shape), standard: declared?.standard ?? member.value)
    }
}
