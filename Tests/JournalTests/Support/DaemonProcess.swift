// A real gamed process, with its data in a folder that outlives it.

import Foundation
import TestSupport
import Testing

final class DaemonProcess {
    let folder: Folder
    private let process = Process()
    private let output: String
    private let errorsFile: String
    private let probe: LoopProbe?

    /// Starts it; `isUp` waits until it has restored its sessions. `unprobed` says why the test allows no client of its own beside it.
    init(
        in folder: Folder, _ words: [String] = ["--durability", "always"], environment: [String: String] = [:],
        data: String? = nil, store: String? = nil, program: String = "gamed", unprobed: String? = nil
    ) throws {
        self.folder = folder
        let name = UUID().uuidString.prefix(8)
        (output, errorsFile) = (folder.path + "/said-\(name)", folder.path + "/errors-\(name)")
        process.executableURL = productsDirectory.appending(path: program)
        process.arguments =
            ["--socket", folder.socket] + (store.map { ["--store", $0] } ?? ["--data", data ?? folder.data]) + words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try Self.file(output)
        process.standardError = try Self.file(errorsFile)
        try process.run()
        probe = unprobed == nil ? LoopProbe(process.processIdentifier, process.arguments ?? []) : nil
    }

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(fileURLWithPath: path))
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    deinit {
        if let fault = probe?.end() { Issue.record("\(fault)") }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// What it has printed so far.
    var said: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
    var errors: String { (try? String(contentsOfFile: errorsFile, encoding: .utf8)) ?? "" }
    var isRunning: Bool { process.isRunning }
    /// Of the process.
    var number: Int32 { process.processIdentifier }

    /// Whether it has started, sessions and all.
    func isUp() -> Bool {
        eventually { said.contains("kept: ") || !process.isRunning } && said.contains("kept: ")
    }

    func complains(_ text: String) -> Bool { isSoonWritten(text, in: URL(fileURLWithPath: errorsFile), within: .seconds(20)) }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Ends it without any warning, and waits until it is gone.
    func killIt() {
        signal(SIGKILL)
        process.waitUntilExit()
    }

    /// As a service manager ends it; its exit status, or the signal below zero.
    @discardableResult
    func stop() -> Int32 {
        signal(SIGTERM)
        return waitForEnd()
    }

    /// A process that does not end is killed, which gives a status that no test expects.
    func waitForEnd() -> Int32 {
        guard eventually(30, { !process.isRunning }) else {
            killIt()
            return .min
        }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    func asker() throws -> Asker { try Asker(folder.socket) }

    /// What STATE or its like says, on a connection of its own.
    func ask(_ words: String...) throws -> Answer { try asker().ask(words.joined(separator: " ")) }

    /// A number of kilobytes from the process's status file, such as `VmRSS`.
    func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1]))
    }
}
