import Commands
import Foundation
import GameFlow
import TestSupport
import Testing

@testable import Web

@Suite struct `The API's description` {
    private let document: JSON

    init() throws { document = try JSON(parsing: OpenAPI.text(cookie: "gamed-8080")) }

    @Test func `The API's description names each operation once, with its statuses`() {
        let operations = Route.all.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(operations).count == operations.count)
        #expect(document["openapi"] == "3.1.0")
        #expect(document["paths"]?["/api/sessions/{name}/events"]?["post"]?["responses"]?["409"] != nil)
        #expect(document["paths"]?["/login"]?["get"]?["responses"]?["303"]?["headers"]?["Location"] != nil)
        #expect(document["paths"]?["/"] == nil, "pages are for browsers")
        #expect(document["components"]?["securitySchemes"]?["cookie"]?["name"] == "gamed-8080")
    }

    @Test func `The API's description has every schema that it refers to`() {
        let shapes = document["components"]?["schemas"]
        for name in references(in: document) { #expect(shapes?[name] != nil, "\(name)") }
        for route in Route.all { #expect(Schemas.all.contains { $0.name == route.answer }, "\(route.path)") }
    }

    private func references(in json: JSON) -> [String] {
        switch json {
        case .object(let members):
            members.flatMap { member -> [String] in
                guard member.name == "$ref", let text = member.value.text else { return references(in: member.value) }
                return [String(text.split(separator: "/").last ?? "")]
            }
        case .array(let values): values.flatMap(references)
        case .null, .bool, .integer, .number, .string: []
        }
    }
}

@Suite struct `The documents of error codes` {
    private let rows: [(code: String, statuses: String)]

    init() throws {
        let text = try String(contentsOf: packageRoot.appending(path: "docs/ERRORS.md"), encoding: .utf8)
        rows = text.matches(of: /\n\| `([A-Z]+)` \| ([^|]+) \|/).map { (String($0.output.1), String($0.output.2)) }
    }

    @Test func `Every error code has one row in docs/ERRORS.md`() throws {
        let source = try String(contentsOf: packageRoot.appending(path: "Sources/Texts/ErrorCode.swift"), encoding: .utf8)
        let codes = source.matches(of: /ErrorCode\("([A-Z]+)"\)/).map { String($0.output.1) }
        #expect(codes.count > 30 && codes.sorted() == rows.map(\.code).sorted())
    }

    @Test func `The documents have the HTTP status of each error code`() throws {
        let api = try String(contentsOf: packageRoot.appending(path: "docs/API.md"), encoding: .utf8).split(separator: "\n")
        for (code, status) in ErrorCode.statuses {
            #expect(rows.contains { $0.code == code.text && $0.statuses.contains("\(status)") }, "\(code)")
            #expect(api.contains { $0.hasPrefix("| \(status) |") && $0.contains("`\(code)`") }, "\(code)")
        }
    }

    @Test func `docs/API.md has the limits of requests, and the exception to what the role read may do`() throws {
        let api = try String(contentsOf: packageRoot.appending(path: "docs/API.md"), encoding: .utf8)
        for limit in [BodyLimit.token, .words, .sandbox] {
            #expect(api.contains("| \(limit.bytes(Limits()) >> 10) KiB"), "\(limit)")
        }
        #expect(api.contains("at most \(Topic.maxCount) topics"))
        #expect(api.contains("| `read` | read | the stream, and every GET except those of sandboxes |"))
    }
}

@Suite struct `A request's body` {
    private let fields = [Field.needed("event", .text, "its name"), .optional("if", .version, "a version")]

    @Test(arguments: [
        ("[]", "the body is a JSON object"), ("{}", "'event' is missing: its name"),
        (#"{"event":1}"#, "'event' is a text"),
        (#"{"event":null}"#, "'event' is a text"), (#"{"event":"go","if":true}"#, #"'if' is a version, like 12 or "1:12""#),
        (#"{"event":"go","event":"go"}"#, "'event' occurs twice in one object of the body"),
        (#"{"event":"go","if":{"a":1,"a":2}}"#, "'a' occurs twice in one object of the body"),
        (#"{"evnt":"go"}"#, "the body has no member 'evnt'; did you mean 'event'?"),
    ])
    func `A wrong request body is refused with an error message`(text: String, sentence: String) throws {
        let body = try JSON(parsing: text)
        let error = #expect(throws: (any Error).self) { try Field.check(body, fields) }
        #expect("\(error.map { "\($0)" } ?? "")".hasSuffix(sentence))
    }

    @Test(arguments: [
        #"{"event":"go"}"#, #"{"event":"go","if":3}"#, #"{"event":"go","if":"1:3"}"#, #"{"event":"go","if":null}"#,
    ])
    func `A correct request body is accepted`(text: String) throws { try Field.check(try JSON(parsing: text), fields) }
}

@Suite struct `A request's query` {
    private static let cursor = Field.optional("cursor", .integer(from: 0), "a place in a list")

    @Test(arguments: ["0", "1", "9007199254740992", "9223372036854775807"])
    func `A query accepts each whole number that a command accepts`(text: String) {
        #expect(Self.cursor.takes(query: text))
    }

    @Test(arguments: ["-1", "9223372036854775808", "x", ""])
    func `A query refuses what is not a whole number, or is too low or too high`(text: String) {
        #expect(!Self.cursor.takes(query: text))
    }

    @Test func `The API's description has the bounds of whole numbers in queries and in bodies`() {
        #expect(Self.cursor.querySchema["maximum"] == .integer(.max) && Self.cursor.querySchema["minimum"] == 0)
        #expect(Self.cursor.schema["maximum"] == 9_007_199_254_740_991)
    }
}

@Suite struct `The page's files` {
    @Test func `The page's files are all compiled in`() throws {
        let folder = packageRoot.appending(path: "Sources/Web/Page").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }
        #expect(PageFiles.names == Set(names))
        for name in names {
            let file = try Data(contentsOf: URL(filePath: folder).appending(path: name))
            // A failure names the file, and does not print its bytes.
            let isSame = PageFiles.bytes(of: name) == [UInt8](file)
            #expect(isSame, "\(name)")
        }
    }
}
