// A probing client beside a daemon that a test starts.

import Foundation
import Glibc

/// Runs `loop-probe`, which measures how long one client delays the others, from the daemon's start to its end.
package final class LoopProbe {
    private let process = Process()
    private let words: [String]
    private let place: URL

    /// Returns nil for a daemon that listens at no UNIX socket, or that only checks or prints something.
    package init?(_ daemon: Int32, _ words: [String]) {
        guard let socket = Self.socket(words), !words.contains("--check") else { return nil }
        self.words = words
        place = FileManager.default.temporaryDirectory.appending(path: "loop-probe-\(UUID().uuidString.prefix(8))")
        process.executableURL = productsDirectory.appending(path: "loop-probe")
        process.arguments = ["\(daemon)", socket]
        guard FileManager.default.createFile(atPath: place.path, contents: nil),
            let output = try? FileHandle(forWritingTo: place)
        else { return nil }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return nil }
    }

    private static func socket(_ words: [String]) -> String? {
        guard let option = words.firstIndex(of: "--socket"), option + 1 < words.count else { return nil }
        return words[option + 1].hasPrefix("/") ? words[option + 1] : nil
    }

    /// Ends the probe. Returns its report, or nil if no wait exceeded the limit. Call it once.
    package func end() -> String? {
        if process.isRunning { kill(process.processIdentifier, SIGTERM) }
        process.waitUntilExit()
        defer { try? FileManager.default.removeItem(at: place) }
        guard process.terminationStatus == 1 else { return nil }
        let report = (try? String(contentsOf: place, encoding: .utf8)) ?? ""
        return "a client made the others wait for too long: \(report)gamed \(words.joined(separator: " "))"
    }
}
