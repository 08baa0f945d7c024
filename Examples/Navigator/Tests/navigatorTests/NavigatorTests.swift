import Foundation
import GamedClient
import Programs
import Testing

@testable import navigator

/// A daemon with accounts.
private final class Venue {
    let daemon: RunningDaemon
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "venue-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let accounts = folder.appending(path: "accounts.json")
        try #"{"tablet": {"name": "Ann", "devices": ["AA:BB:CC:DD:EE:00"]}}"#.write(
            to: accounts, atomically: true, encoding: .utf8)
        daemon = try RunningDaemon("gamed", "--http", "none", "--accounts", accounts.path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Types each line once the program has printed its `after` text. Returns the program's output.
    func play(_ session: String, _ answers: [(after: String, line: String)]) throws -> String {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = Program.builtPrograms.appending(path: "navigator")
        process.arguments = [session]
        process.environment = ProcessInfo.processInfo.environment.merging(["GAMED_SOCKET": daemon.socket]) { $1 }
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        var (text, seen) = ("", "")
        var answers = answers[...]
        while case let bytes = output.fileHandleForReading.availableData, !bytes.isEmpty {
            text += String(decoding: bytes, as: UTF8.self)
            while let answer = answers.first, let range = text.dropFirst(seen.count).range(of: answer.after) {
                seen = String(text[..<range.upperBound])
                try input.fileHandleForWriting.write(contentsOf: Data((answer.line + "\n").utf8))
                answers.removeFirst()
            }
        }
        process.waitUntilExit()
        return text
    }
}

@Test func `The screens follow an onboarding from its first state to its last`() throws {
    let text = try Venue().play(
        "tablet",
        [
            ("Press return to begin.", ""), ("Type your device's address", "nonsense"),
            ("expects 'mac'", "AA:BB:CC:DD:EE:02"), ("That did not work", "aa-bb-cc-dd-ee-00"),
        ])
    for line in [
        "Welcome, Ann!", "'deviceWasIdentified' expects 'mac'", "AA:BB:CC:DD:EE:02 is not one of the account's devices",
        "All set: AA:BB:CC:DD:EE:00 can be used.",
    ] {
        #expect(text.contains(line), "\(text)")
    }
}

@Test func `A page of a state that the program does not know shows the view's own text`() async throws {
    let venue = try Venue()
    let room = try await Gamed(unix: venue.daemon.socket).create("room", flow: "turns")
    let page = Page(of: try await room.view())
    #expect(page == .other(title: "First player's turn", text: "Pass when you are done."))
    #expect(page.event(for: "x") == nil)
}
