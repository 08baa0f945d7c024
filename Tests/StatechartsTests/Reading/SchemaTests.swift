// The schema for editors allows exactly the keys that the reader knows.

import Foundation
import JSON
import TestSupport
import Testing
import Timers

@testable import Statecharts

@Suite struct `The schema of flow files` {
    private let schema: JSON

    init() throws {
        schema = try JSON(parsing: FlowSchema.text)
    }

    @Test func `The schema file in docs equals the built-in schema`() throws {
        let file = try String(contentsOf: packageRoot.appending(path: "docs/flow.schema.json"), encoding: .utf8)
        #expect(file == FlowSchema.text)
    }

    private static let known: [(String, [String])] = [
        ("", StateKey.allCases.filter { $0.complaint(in: nil) == nil }.map(\.rawValue)),
        ("state", StateKey.names(without: [.schema, .context, .events])),
        ("transition", TransitionKey.names),
        ("timer", TimerKey.names + TransitionKey.names + ActionKey.names + BranchKey.names),
        ("action", ActionKey.names + BranchKey.names), ("raised", SentEventKey.names(without: [.session])),
        ("emitted", SentEventKey.names(without: [.session, .delay, .id])), ("sent", SentEventKey.names),
        ("extension", ExtendKey.names),
        ("initialTransition", InitialKey.names), ("invocation", InvokeKey.names), ("view", ViewKey.names),
        ("event", EventKey.names),
        ("field", ValueKey.names(without: [.standard])), ("variable", ValueKey.names(without: [.optional])),
    ]

    @Test(arguments: known)
    func `The schema has the keys that the reader knows, each with a description`(_ name: String, _ keys: [String]) throws {
        let object = try #require(name.isEmpty ? schema : schema["$defs"]?[name])
        let properties = try #require(object["properties"]?.members)
        #expect(Set(properties.map(\.name)) == Set(keys) && object["additionalProperties"] == false, "\(name)")
        #expect(properties.allSatisfy { $0.value["description"]?.text?.hasSuffix(".") == true }, "\(name)")
    }

    @Test func `The schema allows the restart policies that timers have`() throws {
        let allowed = schema["$defs"]?["timer"]?["properties"]?["restart"]?["enum"]
        #expect(allowed == .array(RestartPolicy.allCases.map { .string($0.rawValue) }))
    }

    @Test func `The schema refers to each of its definitions and to nothing else`() throws {
        let definitions = Set(try #require(schema["$defs"]?.members).map(\.name))
        #expect(Set(schema.references) == definitions)
    }

    @Test func `The shipped flows conform to the schema`() throws {
        let folder = packageRoot.appending(path: "Examples/Flows")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json5") }
        #expect(!names.isEmpty)
        for name in names {
            let document = JSON5Document(
                bytes: try Array(String(contentsOf: folder.appending(path: name), encoding: .utf8).utf8))
            let flow = try #require(document.root).json
            #expect(SchemaCheck(schema).faults(of: flow, schema, at: name) == [])
        }
    }

    @Test(arguments: [
        ("{}", " has no states"), ("{ states: { a: { frobnicate: 1 } } }", "/states/a has frobnicate"),
        ("{ states: { 'a b': {} } }", "/states has the name a b"),
        ("{ states: { a: { on: { go: 5 } } } }", "/states/a/on/go fits nothing"),
        ("{ states: { a: { after: { soon: 'a' } } } }", "/states/a/after has the name soon"),
        ("{ states: { a: { type: 'finale' } } }", "/states/a/type is none of its values"),
        ("{ states: { a: { after: { '1s': [] } } } }", "/states/a/after/1s is too short"),
        ("{ states: { a: { every: { '1s': [] } } } }", "/states/a/every/1s is too short"),
        ("{ states: { a: { invoke: { id: 'b' } } } }", "/states/a/invoke fits nothing"),
        ("{ events: { go: { payload: { x: { minimum: 1 } } } }, states: { a: {} } }", "/events/go/payload/x fits nothing"),
        ("{ context: { x: { type: 'integer', minimun: 1, default: 1 } }, states: { a: {} } }", "/context/x has minimun"),
        ("{ '$schema': 1, states: { a: {} } }", "/$schema is no string"),
    ])
    func `The schema rejects an invalid flow with the place of the fault`(_ text: String, _ fault: String) throws {
        let flow = try #require(JSON5Document(bytes: Array(text.utf8)).root).json
        #expect(SchemaCheck(schema).faults(of: flow, schema, at: "") == [fault])
    }

    @Test(arguments: [
        "{ context: { a: { type: 'integer' }, b: { default: 1, more: 2 }, c: [], d: 0 }, states: { a: {} } }",
        "{ context: { a: { type: 'integer', minimum: 1, default: 1 } }, states: { a: { invoke: { src: 'b' } } } }",
        "{ events: { go: { payload: { x: { enum: ['a'] }, y: { maxLength: 3 } } } }, states: { a: { on: { go: {} } } } }",
    ])
    func `The schema and the reader allow the same declarations`(_ text: String) throws {
        let flow = try #require(JSON5Document(bytes: Array(text.utf8)).root).json
        #expect(SchemaCheck(schema).faults(of: flow, schema, at: "") == [])
        #expect(FlowFile(bytes: Array(text.utf8), path: "t.json5").definition != nil)
    }
}

extension NotationKeys {
    fileprivate static func names(without others: Set<Self>) -> [String] {
        allCases.filter { !others.contains($0) }.map(\.rawValue)
    }
}

extension JSON {
    fileprivate var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The names of the definitions that it refers to.
    fileprivate var references: [String] {
        switch self {
        case .object(let members):
            members.flatMap {
                $0.name == "$ref" ? [String($0.value.text?.split(separator: "/").last ?? "")] : $0.value.references
            }
        case .array(let values): values.flatMap(\.references)
        case .null, .bool, .integer, .number, .string: []
        }
    }
}

/// Implements the part of JSON Schema that our schema uses.
private struct SchemaCheck {
    let whole: JSON

    init(_ whole: JSON) {
        self.whole = whole
    }

    /// The faults of a value by the schema.
    func faults(of value: JSON, _ schema: JSON, at place: String) -> [String] {
        var faults: [String] = []
        if let name = schema["$ref"]?.text?.split(separator: "/").last, let definition = whole["$defs"]?[String(name)] {
            faults += self.faults(of: value, definition, at: place)
        }
        if case .array(let choices)? = schema["anyOf"],
            !choices.contains(where: { self.faults(of: value, $0, at: place).isEmpty })
        {
            // If exactly one alternative has this type, its faults are reported.
            let likely = choices.filter { fits(value, resolved($0)["type"]?.text) && resolved($0)["type"] != nil }
            faults += likely.count == 1 ? self.faults(of: value, likely[0], at: place) : ["\(place) fits nothing"]
        }
        if let condition = schema["if"], let then = schema["then"], self.faults(of: value, condition, at: place).isEmpty {
            faults += self.faults(of: value, then, at: place)
        }
        if let type = schema["type"]?.text, !fits(value, type) { return faults + ["\(place) is no \(type)"] }
        if case .array(let values)? = schema["enum"], !values.contains(value) {
            faults.append("\(place) is none of its values")
        }
        return faults + memberFaults(of: value, schema, at: place) + elementFaults(of: value, schema, at: place)
    }

    private func memberFaults(of value: JSON, _ schema: JSON, at place: String) -> [String] {
        guard let members = value.members else { return [] }
        var faults: [String] = []
        if case .array(let required)? = schema["required"] {
            faults += required.compactMap(\.text).filter { value[$0] == nil }.map { "\(place) has no \($0)" }
        }
        for member in members {
            if let pattern = schema["propertyNames"]?["pattern"]?.text,
                member.name.range(of: pattern, options: .regularExpression) == nil
            {
                faults.append("\(place) has the name \(member.name)")
            }
            if let property = schema["properties"]?[member.name] ?? schema["additionalProperties"] {
                faults +=
                    property == false
                    ? ["\(place) has \(member.name)"] : self.faults(of: member.value, property, at: "\(place)/\(member.name)")
            }
        }
        return faults
    }

    private func elementFaults(of value: JSON, _ schema: JSON, at place: String) -> [String] {
        guard case .array(let values) = value else { return [] }
        if let min = schema["minItems"]?.integer, values.count < min { return ["\(place) is too short"] }
        guard let items = schema["items"] else { return [] }
        return values.enumerated().flatMap { faults(of: $1, items, at: "\(place)/\($0)") }
    }

    private func resolved(_ schema: JSON) -> JSON {
        let name = schema["$ref"]?.text?.split(separator: "/").last
        return name.flatMap { whole["$defs"]?[String($0)] } ?? schema
    }

    private func fits(_ value: JSON, _ type: String?) -> Bool {
        switch value {
        case .null: type == "null" || type == nil
        case .bool: type == "boolean" || type == nil
        case .integer: type == "integer" || type == "number" || type == nil
        case .number: type == "number" || type == nil
        case .string: type == "string" || type == nil
        case .array: type == "array" || type == nil
        case .object: type == "object" || type == nil
        }
    }
}
