// A daemon that a test has started, with a folder of its own that goes with it.

import Foundation

/// A program made with `Gamed.main`, in a process of its own.
public final class RunningDaemon {
    /// Where its socket is, and its data if it keeps any.
    public let folder: URL
    private let process = Process()
    private let keepsFolder: Bool

    /// Starts a program of this build and waits until it listens. In a folder that is given it keeps its sessions there.
    public init(_ program: String, _ arguments: String..., in given: URL? = nil) throws {
        folder = given ?? FileManager.default.temporaryDirectory.appending(path: "daemon-\(UUID().uuidString.prefix(8))")
        keepsFolder = given != nil
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = given == nil ? "none" : folder.appending(path: "data").path
        process.executableURL = Program.builtPrograms.appending(path: program)
        process.arguments = ["--socket", folder.appending(path: "socket").path, "--data", data] + arguments
        process.environment = Program.environment
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        while true {
            let text = output.fileHandleForReading.availableData
            guard !text.isEmpty else { throw Failure(description: "\(program) has ended before it listened") }
            start += String(decoding: text, as: UTF8.self)
            // It says this once it hosts its sessions.
            if start.contains("kept: ") { break }
        }
    }

    /// The lines that it printed when it started.
    public private(set) var start = ""

    deinit {
        if process.isRunning { kill() }
        if !keepsFolder { try? FileManager.default.removeItem(at: folder) }
    }

    public var socket: String { folder.appending(path: "socket").path }

    /// Executes a command with redis-cli. Returns the reply in lines, as redis-cli prints it to a pipe.
    public func execute(_ words: String...) throws -> String { try execute(words) }

    private func execute(_ words: [String]) throws -> String {
        let client = try Program("redis-cli", ["-s", socket] + words)
        return client.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Asks until the answer is this, for some seconds; the last answer.
    public func wait(for answer: String, _ words: String...) throws -> String {
        var last = try execute(words)
        for _ in 0..<500 where last != answer {
            Thread.sleep(forTimeInterval: 0.01)
            last = try execute(words)
        }
        return last
    }

    /// Ends it as a crash does.
    public func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Why a daemon could not be started.
    struct Failure: Error, CustomStringConvertible { let description: String }
}
