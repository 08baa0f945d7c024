// The recorded replies of the API, member by member, against its description.

import Foundation
import GameFlow
import HTTP
import TestSupport
import Testing
import Timers

@testable import Web

@Suite struct `The replies of the API` {
    private let schemas: JSON

    init() throws { schemas = try #require(JSON(parsing: OpenAPI.text(cookie: "gamed-8080"))["components"]?["schemas"]) }

    @Test(arguments: ["http", "sandbox"])
    func `Each recorded reply has the members that the API's description gives it, and no others`(record: String) throws {
        let lines = try String(
            contentsOf: packageRoot.appending(path: "Tests/Transcript/record/http/\(record).txt"), encoding: .utf8
        ).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var count = 0
        for place in lines.indices.dropLast(2) where lines[place].hasPrefix("http> ") && lines[place + 2].hasPrefix("{") {
            let words = lines[place].split(separator: " ").map(String.init)
            let schema = try #require(described(words[1], words[2], status: lines[place + 1]), "\(lines[place])")
            let reply = try JSON(parsing: lines[place + 2].replacing(":WALL", with: ":0"))
            #expect(problems(of: reply, schema, "") == [], "\(lines[place])")
            count += 1
        }
        #expect(count > 10)
    }

    @Test func `The description of the next timers admits the expiry of a session, which has no event`() {
        let timers: JSON = ["timers": [["session": "a", "timer": "--expire", "event": .null, "remaining_ms": 1]]]
        #expect(problems(of: timers, ["$ref": "#/components/schemas/Next"], "") == [])
    }

    @Test func `A member that is missing, has another type, or is not described is found`() {
        let schema: JSON = ["$ref": "#/components/schemas/Live"]
        #expect(problems(of: ["live": true, "reason": "it runs"], schema, "") == [])
        #expect(
            problems(of: ["live": 1, "more": []], schema, "") == [".live is 1", ".more is not described", ".reason is missing"])
    }

    private func described(_ method: String, _ path: String, status: String) -> JSON? {
        guard status.hasPrefix("2") else { return ["$ref": "#/components/schemas/Error"] }
        let found = HTTPTarget(path).map { Route.matching($0.segments) } ?? []
        return found.first { $0.method.rawValue == method }.map { ["$ref": .string("#/components/schemas/\($0.answer)")] }
    }

    // MARK: The part of JSON Schema that the description uses

    private func problems(of value: JSON, _ schema: JSON, _ path: String) -> [String] {
        if let reference = schema["$ref"]?.text {
            let found = schemas[String(reference.split(separator: "/").last ?? "")]
            return found.map { problems(of: value, $0, path) } ?? ["\(path) refers to nothing"]
        }
        if let choices = schema["anyOf"] {
            let found = choices.elements.map { problems(of: value, $0, path) }
            return found.contains([]) ? [] : found.first ?? []
        }
        if let words = schema["enum"] { return words.elements.contains(value) ? [] : ["\(path) is \(value)"] }
        guard Self.isOfType(value, schema["type"]) else { return ["\(path) is \(value)"] }
        switch value {
        case .object(let members): return problems(of: members, schema, path)
        case .array(let elements): return elements.flatMap { problems(of: $0, schema["items"] ?? .object([]), path + "[]") }
        case .null, .bool, .integer, .number, .string: return []
        }
    }

    private func problems(of members: [JSON.Member], _ schema: JSON, _ path: String) -> [String] {
        guard let properties = schema["properties"] else {
            guard let others = schema["additionalProperties"] else { return [] }
            return members.flatMap { problems(of: $0.value, others, "\(path).\($0.name)") }
        }
        let found = members.flatMap { member in
            properties[member.name].map { problems(of: member.value, $0, "\(path).\(member.name)") }
                ?? ["\(path).\(member.name) is not described"]
        }
        let missing = (schema["required"]?.elements ?? []).compactMap(\.text).filter { name in
            !members.contains { $0.name == name }
        }
        return found + missing.map { "\(path).\($0) is missing" }
    }

    private static func isOfType(_ value: JSON, _ type: JSON?) -> Bool {
        guard let type else { return true }
        let names = type.text.map { [$0] } ?? type.elements.compactMap(\.text)
        return switch value {
        case .null: names.contains("null")
        case .bool: names.contains("boolean")
        case .integer: names.contains("integer") || names.contains("number")
        case .number: names.contains("number")
        case .string: names.contains("string")
        case .array: names.contains("array")
        case .object: names.contains("object")
        }
    }
}

@Suite struct `The description of a duration` {
    private static let by = Field.needed("by", .duration, "how long")

    @Test(arguments: ["10s", "-10s", "1m30s", "250ms", "1500", "1.5h", ".5s", "1.", "3us", "7ns", "2d4h"])
    func `The pattern of a duration admits each that a command reads`(text: String) throws {
        let pattern = try Regex(#require(Self.by.schema["pattern"]?.text))
        #expect(text.wholeMatch(of: pattern) != nil && Duration(text: text) != nil)
    }

    @Test(arguments: ["", "-", "s", "1s2", "1 s", "1e3", "1w", "--1s", "1.2.3s"])
    func `The pattern of a duration excludes what no command reads`(text: String) throws {
        let pattern = try Regex(#require(Self.by.schema["pattern"]?.text))
        #expect(text.wholeMatch(of: pattern) == nil && Duration(text: text) == nil)
    }
}
