// A store in a process of its own: Tests/StoreProbe.

import Foundation
import TestSupport

/// A store in another process, which can be killed.
final class StoreProbe {
    let process: RunningProgram
    private let input = Pipe()
    private let output = Pipe()

    init(_ environment: [String: String] = [:]) throws {
        process = try RunningProgram(
            productsDirectory.appending(path: "store-probe").path, [], input: input, output: output, environment: environment)
        // A killed process must not kill the test that writes to it.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Returns the reply, or nil if the process has died.
    @discardableResult
    func ask(_ line: String) -> String? {
        guard (try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))) != nil else { return nil }
        var answer = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte == Data([10]) { return String(decoding: answer, as: UTF8.self) }
            answer += byte
        }
        return nil
    }

    /// Returns the reply to each line; nil from the line on at which the process died.
    func ask(all lines: [String]) -> [String?] { lines.map { ask($0) } }

    func open(_ folder: Folder, _ durability: String = "always", capacity: Int = 100) -> String? {
        ask("open \(folder.data) \(durability) \(capacity)")
    }

    /// Kills the process.
    func killIt() { process.killIt() }

    var wasKilled: Bool { process.waitForStatus() == -SIGKILL }
}
