// Data directories in each released format and in today's, in Tests/Fixtures: today's program reports the same sessions as the program that wrote
// them. Nothing is released yet, so a change of the format replaces the fixtures of format 1.

import Foundation
import RESP
import TestSupport
import Testing

@Suite struct `A data directory of an earlier format` {
    private static let words = ["--durability", "always", "--time", "virtual"]

    private static func fixture(_ path: String) -> URL { packageRoot.appending(path: "Tests/Fixtures").appending(path: path) }

    /// One of the fixtures, to be written to.
    private func copy(_ kind: String, format: Int) throws -> (folder: Folder, said: [String: Any]) {
        let folder = try Folder()
        try FileManager.default.copyItem(atPath: Self.fixture("format-\(format)/\(kind)").path, toPath: folder.data)
        let json = try Data(contentsOf: Self.fixture("format-\(format)/\(kind).said.json"))
        return (folder, try #require(JSONSerialization.jsonObject(with: json) as? [String: Any]))
    }

    @Test(arguments: ["clean", "crashed"], [1])
    func `An older data format is read, and reports the same after a clean stop and a kill`(kind: String, format: Int) throws {
        let (folder, said) = try copy(kind, format: format)
        for end in ["stop", "kill", "stop"] {
            let daemon = try RunningDaemon(keepingIn: folder, Self.words)
            try #require(daemon.waitUntilUp(), "\(daemon.errors)")
            try expect(said, daemon.client(), "before the \(end)")
            if end == "kill" { daemon.killIt() } else { #expect(daemon.stop() == 0) }
        }
        #expect(try folder.sql("PRAGMA user_version; PRAGMA integrity_check") == "1\nok")
    }

    /// `Tests/Fixtures/make-data GAMED Tests/Fixtures/format-N` writes it.
    @Test func `A fixture is kept for each data format that there has been, including today's`() throws {
        let folder = try Folder()
        let daemon = try RunningDaemon(keepingIn: folder, Self.words)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        #expect(daemon.stop() == 0)
        for format in 1...(try #require(Int(folder.sql("PRAGMA user_version")))) {
            #expect(FileManager.default.fileExists(atPath: Self.fixture("format-\(format)/clean/gamed.db").path))
        }
    }

    @Test(arguments: ["clean", "crashed"])
    func `An older data format is read after a kill during recovery`(kind: String) throws {
        let (folder, said) = try copy(kind, format: 1)
        let dying = try RunningDaemon(keepingIn: folder, Self.words, environment: ["GAMED_FAILPOINT": "during-recovery:1"])
        #expect(dying.waitForStatus() == -SIGKILL)
        let daemon = try RunningDaemon(keepingIn: folder, Self.words)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        try expect(said, daemon.client(), "after the kill")
    }

    @Test(arguments: ["clean", "crashed"])
    func `A data directory from before the first release is refused, and no file changes`(kind: String) throws {
        let folder = try Folder()
        try FileManager.default.copyItem(atPath: Self.fixture("draft/\(kind)").path, toPath: folder.data)
        let before = folder.contents
        let daemon = try RunningDaemon(keepingIn: folder, Self.words)
        #expect(daemon.waitForStatus() == 78)
        #expect(daemon.errors.contains("gamed.db was written before the first release"), "\(daemon.errors)")
        #expect(folder.contents.filter { $0.value.count > 0 } == before.filter { $0.value.count > 0 })
    }

    // MARK: Recorded replies

    private func expect(_ said: [String: Any], _ client: TestClient, _ comment: String) throws {
        _ = try client.ask("HELLO 3")
        for case let session as [String: Any] in try #require(said["sessions"] as? [Any]) {
            let name = try bytes(hex: #require(session["name"] as? String))
            for (part, command) in [("state", "STATE"), ("timers", "TIMERS"), ("events", "EVENTS"), ("history", "HISTORY")] {
                let more = command == "HISTORY" ? ["COUNT", "100"] : []
                let answer = try client.ask(bytes: [Array(command.utf8), name] + more.map { Array($0.utf8) })
                let problem = difference(try #require(session[part]), value(answer.reply), part)
                #expect(problem == nil, "\(comment), \(String(decoding: name, as: UTF8.self)): \(problem ?? "")")
            }
        }
        let names = try client.ask("SESSIONS 0 COUNT 1000").list.last?.list.count
        #expect(names == (said["sessions"] as? [Any])?.count, "\(comment)")
        let unrestored = try client.ask("SESSIONS 0 STATE !").list.last?.list.compactMap(\.text)
        #expect(unrestored == said["aside"] as? [String], "\(comment)")
    }

    private func bytes(hex: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: hex.count, by: 2) {
            let digits = hex.dropFirst(start).prefix(2)
            bytes.append(try #require(UInt8(digits, radix: 16)))
        }
        return bytes
    }

    /// Returns the reply as JSON.
    private func value(_ reply: Reply) -> Any {
        switch reply {
        case .null: NSNull()
        case .integer(let number): number
        case .boolean(let isTrue): isTrue
        case .array(let replies), .set(let replies), .push(let replies): replies.map(value)
        case .map(let pairs): Dictionary(pairs.map { ($0.key.text ?? "", value($0.value)) }) { first, _ in first }
        case .error(let code, let text): "-\(code) \(text)"
        case .simple, .bulk, .verbatim: reply.text ?? ""
        case .double(let number): number
        case .bigNumber(let digits): digits
        }
    }

    /// The first difference. New keys of a map do not count.
    private func difference(_ said: Any, _ found: Any, _ place: String) -> String? {
        switch (said, found) {
        case (let said as [String: Any], let found as [String: Any]):
            return said.keys.sorted().lazy.compactMap { key in
                found[key].map { difference(said[key] ?? "", $0, "\(place).\(key)") } ?? "\(place).\(key) is missing"
            }.first
        case (let said as [String: Any], let text as String):
            return difference(said, (try? JSONSerialization.jsonObject(with: Data(text.utf8))) ?? text, place)
        case (let said as [Any], let found as [Any]):
            guard said.count == found.count else { return "\(place) has \(found.count) and not \(said.count)" }
            return said.indices.lazy.compactMap { difference(said[$0], found[$0], "\(place)[\($0)]") }.first
        case (let said as NSObject, let found as NSObject): return said == found ? nil : "\(place) is \(found) and not \(said)"
        default: return "\(place) is \(found) and not \(said)"
        }
    }
}
