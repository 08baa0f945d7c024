// The exact error messages about invalid files.

import Foundation
import TestSupport
import Testing

@Suite struct `Error messages about files` {
    private let folder: URL
    private let devices: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        devices = folder.appending(path: "devices.json").path
        // The names contain a line break, an escape sequence that colours the terminal, and a backslash.
        try #"{"devices":[{"name":"a\nb\u001b[31m","adress":"C:\\x"},{"name":"c","address":7}]}"#
            .write(toFile: devices, atomically: true, encoding: .utf8)
    }

    private var lines: [String] {
        let place = #"device 'a\nb\u{1b}[31m'"#
        return [
            "\(devices): 3 problems:",
            #"  \#(place): 'address' is missing; write it like "address": "C0:FF:EE:00:00:01""#,
            "  \(place): there is no 'adress' here; available: name, address, kind, connected, silence, values, events, advertises, and note",
            "  device 'c': address: '7' should be a string",
        ]
    }

    @Test func `An invalid device file is reported with a line per problem, in a pipe and at a terminal`() throws {
        let words = ["--check", "--data", "none", "--socket", folder.path + "/it.sock", "--bluetooth", devices]
        let gamed = productsDirectory.appending(path: "gamed").path
        let piped = try Program(gamed, words)
        #expect(piped.errors == "gamed: " + lines.joined(separator: "\n") + "\n")
        #expect(piped.status == 65)
        // Only the shell knows the device and inode of its standard error.
        let journal = try Program(
            "/bin/sh", ["-c", #"JOURNAL_STREAM=$(stat -L -c %d:%i /proc/$$/fd/2) exec "$0" "$@""#, gamed] + words)
        #expect(journal.errors == "<3>gamed: " + lines.joined(separator: "\n<3>") + "\n")
        let terminal = try Terminal(gamed, words, home: folder)
        try terminal.wait(for: "gamed: " + lines.joined(separator: "\r\n") + "\r\n")
    }

    @Test func `A reload of an invalid device file logs a record per problem`() throws {
        let good = #"{"devices":[{"name":"c","address":"C0:FF:EE:00:00:01"}]}"#
        let bad = try String(contentsOfFile: devices, encoding: .utf8)
        try good.write(toFile: devices, atomically: true, encoding: .utf8)
        let daemon = try RunningDaemon(["--socket", folder.path + "/it.sock", "--bluetooth", devices])
        _ = daemon.readLine()
        try bad.write(toFile: devices, atomically: true, encoding: .utf8)
        daemon.signal(SIGHUP)
        #expect(daemon.complains("nothing has changed"))
        let records = daemon.errors.split(separator: "\n").map { String($0.drop { $0 != " " }.dropFirst()) }
        var expected = lines
        expected[0] = "kept the old device file: " + expected[0]
        #expect(records == (expected + ["SIGHUP: nothing has changed"]).map { "error: " + $0 })
    }

    @Test func `A scenario reports all problems of a device file on one line`() throws {
        let scenario = folder.appending(path: "it.scenario").path
        try "devices devices.json\n".write(toFile: scenario, atomically: true, encoding: .utf8)
        let result = try Program(gamectlPath, ["test", scenario])
        let sentence = try #require(result.output.split(separator: "\n").first { $0.hasPrefix("    \(scenario):1: ") })
        #expect(sentence.hasPrefix("    \(scenario):1: \(devices): 3 problems: (1) device 'a"))
        #expect(sentence.hasSuffix("; (3) device 'c': address: '7' should be a string"))
    }

    @Test func `Replies of several lines do not add lines to a test report`() throws {
        let scenario = folder.appending(path: "it.scenario").path
        try "diagram turns\necho \"\\nok 7 - forged\\x1b[2J\"\n".write(toFile: scenario, atomically: true, encoding: .utf8)
        let result = try Program(gamectlPath, ["test", "--verbose", scenario])
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 5, "\(result.output)")
        #expect(lines[3].hasSuffix(#"-> \nok 7 - forged\u{1b}[2J"#))
        #expect(lines[4].hasPrefix("ok 1 - "))
    }
}
