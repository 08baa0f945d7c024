// A real gamed in a process of its own, in a folder of its own, gone when the test ends.

import Foundation
import TestSupport
import Testing

final class RunningDaemon {
    let folder: URL
    let process = Process()
    private let output = Pipe()
    /// Not a pipe: other processes of this test run may inherit its writing end, and then it would not end with the daemon.
    private let errorsFile: URL
    /// Nil where this daemon has no probing client beside it.
    private var probe: LoopProbe?

    var socketPath: String { folder.appending(path: "gamed.sock").path }

    /// Starts gamed with these words; by default it listens in the test's folder. `products` is where the program is. `unprobed` says why
    /// the test allows no client of its own beside it.
    init(
        _ arguments: [String]? = nil, in folder: URL? = nil, mostDescriptors: Int? = nil, environment: [String: String] = [:],
        products: URL = productsDirectory, program name: String = "gamed", unprobed: String? = nil
    ) throws {
        self.folder = folder ?? Self.newFolder()
        errorsFile = self.folder.appending(path: "errors.txt")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        let program = products.appending(path: name)
        let said = arguments ?? ["--socket", self.folder.appending(path: "gamed.sock").path]
        // Not where this machine's own sessions are.
        let words = said.contains("--data") || said.contains("--store") ? said : ["--data", "none"] + said
        if let mostDescriptors {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "ulimit -n \(mostDescriptors); exec \"$0\" \"$@\"", program.path] + words
        } else {
            process.executableURL = program
            process.arguments = words
        }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        try Data().write(to: errorsFile)
        let errors = try FileHandle(forWritingTo: errorsFile)
        process.standardError = errors
        try process.run()
        try errors.close()
        if unprobed == nil { probe = LoopProbe(process.processIdentifier, words) }
    }

    /// A folder of a test's own, which `init` makes and the end removes.
    static func newFolder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "gamed-\(UUID().uuidString.prefix(8))")
    }

    /// A daemon that listens already, at a TCP port of this machine, too.
    static func overTCP(
        _ more: [String] = [], in folder: URL = newFolder(), unprobed: String? = nil
    ) throws -> (daemon: RunningDaemon, port: UInt16) {
        let words = [
            "--socket", folder.path + "/gamed.sock", "--listen", "127.0.0.1:0", "--trust-loopback", "--http", "none",
            "--config", "none",
        ]
        let daemon = try RunningDaemon(words + more, in: folder, unprobed: unprobed)
        let line = try #require(daemon.readLine(), "\(daemon.errors)")
        return (daemon, try #require(line.split(separator: ":").last.flatMap { UInt16($0) }, "\(line)"))
    }

    deinit {
        if let fault = probe?.end() { Issue.record("\(fault)") }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The next line that it prints; nil once it prints no more.
    func readLine() -> String? {
        var line = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte == Data([10]) { return String(decoding: line, as: UTF8.self) }
            line += byte
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Waits for its end; what it had said on standard error, and its exit status.
    func waitForEnd() -> (errors: String, status: Int32) {
        process.waitUntilExit()
        let text = (try? String(contentsOf: errorsFile, encoding: .utf8)) ?? ""
        return (text, process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
    }

    /// What it has said on standard error so far.
    var errors: String { (try? String(contentsOf: errorsFile, encoding: .utf8)) ?? "" }

    /// Whether it says this on standard error, within some seconds.
    func complains(_ text: String) -> Bool { isSoonWritten(text, in: errorsFile, within: .seconds(10)) }

    /// How many files, sockets and the like it has open.
    func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }

    var processID: Int32 { process.processIdentifier }

    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// A number from the process's status file, such as `voluntary_ctxt_switches`.
    func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1]))
    }
}
