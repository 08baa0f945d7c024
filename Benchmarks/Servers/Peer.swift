// The programs that are compared: gamed, and the distribution's Redis. Each has a separate folder and a UNIX socket.

import Foundation
import Glibc

/// A server that runs until it is stopped.
final class Peer {
    let name: String
    let folder: URL
    private let process = Process()
    /// How long it took until it answered.
    private(set) var secondsToAnswer = 0.0

    var socketPath: String { folder.appending(path: "s").path }

    /// Starts the program and waits until it answers.
    init(_ name: String, _ program: String, in folder: URL, _ arguments: [String]) throws {
        self.name = name
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let began = ContinuousClock.now
        try process.run()
        try waitForAnswer()
        secondsToAnswer = (ContinuousClock.now - began).seconds
    }

    deinit {
        // Not as its operator would: Redis does not go while it cannot save, and its folder may be gone by now.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    private func waitForAnswer() throws {
        for _ in 0..<60_000 {
            if let wire = PipelinedClient(socketPath), wire.isAnswered() { return }
            guard process.isRunning else { throw BenchmarkError("\(name) has ended with \(process.terminationStatus)") }
            usleep(1_000)
        }
        throw BenchmarkError("\(name) does not answer")
    }

    /// Ends it as a crash would.
    func crash() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Asks it to end, as its operator would, and does not wait.
    func askToStop() { process.terminate() }

    var identifier: pid_t { process.processIdentifier }

    /// Ends it as its operator would, and waits for that.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Processor time that it has used so far, in seconds.
    var processorSeconds: Double { ProcessorTime.seconds(of: identifier) }

    /// Its resident memory, in bytes.
    var residentBytes: Double {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Double($0.split(whereSeparator: \.isWhitespace)[1]) }.map { $0 * 1_024 } ?? 0
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// A folder that is gone when the benchmark is over.
final class BenchmarkFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "gamed-bench-\(getpid())-\(UInt16.random(in: 0...9_999))")

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func redis(_ options: [String] = [], port: Int = 0, as place: String = "redis") throws -> Peer {
        let folder = url.appending(path: place)
        let own = ["--port", "\(port)", "--unixsocket", folder.appending(path: "s").path, "--dir", folder.path]
        return try Peer("Redis", "redis-server", in: folder, own + ["--save", ""] + options)
    }

    func gamed(_ options: [String] = ["--data", "none"], as place: String = "gamed") throws -> Peer {
        let folder = url.appending(path: place)
        // Only what measures the page has one.
        setenv("GAMED_HTTP", "none", 1)
        return try Peer("gamed", Self.gamedProgram, in: folder, ["--socket", folder.appending(path: "s").path] + options)
    }

    static let gamedProgram = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
        path: "gamed"
    ).path
}
