// A gamed of a cluster, in a process of its own.

import Foundation
import Glibc
import RESP
import TestSupport
import Testing

final class NodeProcess {
    let process = Process()
    let socket: String
    private let errorsFile: String
    private var line: NodeLine?
    private let probe: LoopProbe?

    init(_ name: String, in folder: Folder, at store: String, environment: [String: String], program: String = "gamed") throws {
        let life = "\(name)-\(UUID().uuidString.prefix(4))"
        (socket, errorsFile) = ("\(folder.path)/\(life).sock", "\(folder.path)/\(life).errors")
        process.executableURL = productsDirectory.appending(path: program)
        process.arguments = [
            "--store", store, "--socket", socket, "--flows", folder.path + "/flows", "--advertise", "\(name):1",
        ]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["GAMED_HTTP": "none", "GAMED_CONFIG": "none"]) { $1 }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try Data().write(to: URL(fileURLWithPath: errorsFile))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errorsFile))
        try process.run()
        probe = LoopProbe(process.processIdentifier, process.arguments ?? [])
    }

    deinit {
        if let fault = probe?.end() { Issue.record("\(fault)") }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    var errors: String { (try? String(contentsOfFile: errorsFile, encoding: .utf8)) ?? "" }

    func isUp() -> Bool { eventually(30) { !process.isRunning || (try? ask("PING")) != nil } && process.isRunning }

    func hasEnded() -> Bool { eventually(30) { !process.isRunning } }

    /// Its exit status; nil while it runs.
    var status: Int32? { process.isRunning ? nil : process.terminationStatus }

    func killIt() {
        kill(process.processIdentifier, SIGKILL)
        _ = hasEnded()
    }

    func stop() {
        kill(process.processIdentifier, SIGTERM)
        _ = hasEnded()
    }

    func ask(_ words: String...) throws -> Answer { try ask(words: words) }

    /// On one connection, for as long as it lasts.
    func ask(words: [String]) throws -> Answer {
        do {
            let line = try line ?? NodeLine(socket)
            self.line = line
            return try line.ask(words)
        } catch {
            line = nil
            throw error
        }
    }
}

/// One connection to a node.
private final class NodeLine {
    private struct NoAnswer: Error {}

    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var reader = ReplyReader()

    init(_ path: String) throws { descriptor = try dial(path, timeout: 10) }

    deinit { close(descriptor) }

    func ask(_ words: [String]) throws -> Answer {
        let request = "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
        var rest = Array(request.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw NoAnswer() }
            rest = rest.dropFirst(count)
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let found = try bytes.withUnsafeBytes({ try reader.next(in: $0) }) {
                bytes.removeFirst(found.length)
                return Answer(reply: found.reply)
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw NoAnswer() }
            bytes += buffer[..<count]
        }
    }
}
