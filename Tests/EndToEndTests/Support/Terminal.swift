// Runs a program in a pseudo-terminal: the test types keys and reads the screen.

import Foundation
import Glibc
import TestSupport
import Testing

final class Terminal {
    private let process = Process()
    /// The test's side of the terminal; the program has the other side.
    private let descriptor: Int32
    /// Output that no `wait` has consumed yet.
    private var screen = ""

    /// The terminal is wide, so that no line is cut. `home` keeps the program away from the user's own settings.
    init(_ program: String, _ arguments: [String], home: URL, kind: String = "xterm") throws {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 50, ws_col: 250, ws_xpixel: 0, ws_ypixel: 0)
        try #require(openpty(&ours, &theirs, nil, nil, &size) == 0, "there is no terminal to be had")
        descriptor = ours
        // A program of another test that inherits a side would keep the terminal open.
        for side in [ours, theirs] { _ = fcntl(side, F_SETFD, FD_CLOEXEC) }
        let side = FileHandle(fileDescriptor: theirs, closeOnDealloc: true)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["TERM": kind, "HOME": home.path]) { $1 }
        (process.standardInput, process.standardOutput, process.standardError) = (side, side, side)
        try process.run()
        try side.close()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        close(descriptor)
    }

    func send(signal number: Int32) { kill(process.processIdentifier, number) }

    /// Whether a signal has stopped the program.
    var isStopped: Bool {
        let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        return status?.contains("State:\tT") ?? false
    }

    func type(_ keys: String) {
        var rest = Array(keys.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for the text and discards the output up to its end. Fails after 20 s. After sending a line, wait for
    /// the next prompt before typing again: keys that arrive in between are lost.
    func wait(for text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try wait(for: text, sourceLocation) { screen in screen.range(of: text, options: .literal).map { ($0, ()) } }
    }

    /// The same with a pattern. Returns its only group.
    func wait(
        for pattern: Regex<(Substring, Substring)>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        try wait(for: "\(pattern)", sourceLocation) { screen in
            screen.firstMatch(of: pattern).map { ($0.range, String($0.output.1)) }
        }
    }

    private func wait<Found>(
        for wanted: String, _ sourceLocation: SourceLocation, in find: (String) -> (Range<String.Index>, Found)?
    ) throws -> Found {
        let limit = ContinuousClock.now.advanced(by: .seconds(20))
        while true {
            if let (range, found) = find(screen) {
                screen.removeSubrange(..<range.upperBound)
                return found
            }
            let hasMore = readMore(until: limit)
            try #require(hasMore, "'\(wanted)' is not in \(screen.debugDescription)", sourceLocation: sourceLocation)
        }
    }

    /// Waits for the program's end and returns its status.
    func waitForEnd() -> Int32 {
        while readMore(until: .now.advanced(by: .seconds(20))) {}
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Returns false if the time is over or the program has ended.
    private func readMore(until limit: ContinuousClock.Instant) -> Bool {
        let milliseconds = max(0, (limit - .now) / .milliseconds(1))
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Int32(milliseconds)) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return false }
        screen += String(decoding: buffer[..<count], as: UTF8.self)
        return true
    }
}
