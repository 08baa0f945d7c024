// A probing client beside a daemon that a test starts.

import Foundation

/// Runs `loop-probe`, which measures how long one client delays the others, from the daemon's start to its end.
package final class LoopProbe {
    private let program: RunningProgram
    private let words: [String]

    /// Returns nil for a daemon that listens at no UNIX socket, or that only checks or prints something.
    package init?(_ daemon: Int32, _ words: [String]) {
        guard let socket = Self.socket(words), !words.contains("--check") else { return nil }
        self.words = words
        let path = productsDirectory.appending(path: "loop-probe").path
        guard let program = try? RunningProgram(path, ["\(daemon)", socket]) else { return nil }
        self.program = program
    }

    private static func socket(_ words: [String]) -> String? {
        guard let option = words.firstIndex(of: "--socket"), option + 1 < words.count else { return nil }
        return words[option + 1].hasPrefix("/") ? words[option + 1] : nil
    }

    /// Ends the probe. Returns its report, or nil if no wait exceeded the limit. Call it once.
    package func end() -> String? {
        guard program.stop() == 1 else { return nil }
        return "a client made the others wait for too long: \(program.said)gamed \(words.joined(separator: " "))"
    }
}
