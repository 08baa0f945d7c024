// A private PostgreSQL: a folder, a port of loopback and a UNIX socket of its own. Gone with the last reference to it. One thread starts and
// ends it.

import Foundation
import TestSupport

package final class PostgresServer: @unchecked Sendable {
    package enum Ending: Int32, Sendable {
        /// Once every client has gone.
        case smart = 15  // SIGTERM
        case fast = 2  // SIGINT
        /// Like a crash, but clients get a message.
        case immediate = 3  // SIGQUIT
    }

    package typealias Trouble = PostgresPrograms.Trouble

    package let port: Int
    /// The UNIX socket's folder.
    package let folder: String
    package static let password = PostgresTemplate.password

    private let settings: [String: String]
    private let watchman: PostgresGuard
    private var process: Process?

    /// Creates and starts the server, on a disk if it syncs. Settings are those of postgresql.conf.
    package init(fsync: Bool = true, settings: [String: String] = [:]) throws {
        folder = try PostgresPrograms.newFolder(inMemory: !fsync)
        watchman = try PostgresGuard(of: folder)
        port = try freePort()
        let own = [
            "listen_addresses": "127.0.0.1", "port": "\(port)", "unix_socket_directories": folder,
            "fsync": fsync ? "on" : "off",
            "shared_buffers": "32MB", "logging_collector": "off", "log_min_messages": "warning",
        ]
        self.settings = own.merging(settings) { $1 }
        try PostgresTemplate.copy(to: "\(folder)/data")
        try start()
    }

    deinit { watchman.end() }

    // MARK: Addresses

    /// Over TCP, with the superuser's password.
    package func uri(_ database: String = "postgres") -> String { uri(database, port: port) }

    /// The same through a proxy.
    package func uri(_ database: String = "postgres", port: Int) -> String {
        "postgres://postgres:\(Self.password)@127.0.0.1:\(port)/\(database)"
    }

    /// Over the UNIX socket, without a password.
    package func localUri(_ database: String = "postgres") -> String {
        "postgres://postgres@:\(port)/\(database)?host=\(folder)"
    }

    /// The UNIX socket itself.
    package var socket: String { "\(folder)/.s.PGSQL.\(port)" }

    /// The server's log.
    package var log: String { (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "" }

    /// Returns what psql prints for a statement, columns separated by `|`.
    @discardableResult
    package func ask(_ sql: String, in database: String = "postgres") throws -> String {
        let arguments = ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", localUri(database), "-c", sql]
        let said = try run("\(try PostgresPrograms.folder.get())/psql", arguments)
        guard said.status == 0 else { throw trouble("'\(sql)' fails: \(said.output)") }
        return said.output.trimmingCharacters(in: .newlines)
    }

    /// An empty database of its own for a test; its name.
    package func newDatabase() throws -> String {
        let name = "test_\(UUID().uuidString.prefix(8).lowercased())"
        try ask("CREATE DATABASE \(name)")
        return name
    }

    // MARK: Going back in time

    /// Copies its files. It must have ended.
    package func copyFiles() throws { try copy("data", to: "copy") }

    /// Ends, and starts again with the copied files: later changes are lost.
    package func goBack() throws {
        try stop(.immediate)
        try copy("copy", to: "data")
        try start()
    }

    private func copy(_ source: String, to target: String) throws {
        let command = "rm -rf '\(folder)/\(target)' && cp -a '\(folder)/\(source)' '\(folder)/\(target)'"
        let said = try run("/bin/sh", ["-c", command])
        guard said.status == 0 else { throw trouble("\(command) fails: \(said.output)") }
    }

    // MARK: Starting

    /// Starts it, again if it has ended, and waits until it answers.
    package func start() throws {
        let end = Date(timeIntervalSinceNow: 30)
        repeat {
            let started = try launch()
            process = started
            if eventually(within: end.timeIntervalSinceNow, { isReady(started) || !started.isRunning }), isReady(started) {
                return
            }
            // A killed server may still be there for a moment. The new one has ended then, and is started again.
            if started.isRunning { break }
        } while Date() < end
        throw trouble("PostgreSQL does not start")
    }

    private func launch() throws -> Process {
        let options = settings.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
        let words = try PostgresPrograms.words("postgres", ["-D", "\(folder)/data"] + options)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        let log = open("\(folder)/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        let handle = FileHandle(fileDescriptor: log, closeOnDealloc: true)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        return process
    }

    /// The eighth line of postmaster.pid is the status, and the first one is the process.
    private func isReady(_ process: Process) -> Bool {
        guard let text = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8) else { return false }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 7 && lines[0] == "\(process.processIdentifier)" && lines[7].hasPrefix("ready")
    }

    private func trouble(_ what: String) -> Trouble {
        Trouble(description: "\(what)\n\(log.split(separator: "\n").suffix(20).joined(separator: "\n"))")
    }

    // MARK: Ending

    package func stop(_ ending: Ending = .fast) throws {
        guard let process, process.isRunning else { return }
        Glibc.kill(process.processIdentifier, ending.rawValue)
        guard eventually({ !process.isRunning }) else { throw trouble("PostgreSQL does not stop") }
    }

    /// Kills it, and all its processes with it, as a crash of the machine would.
    package func kill() {
        guard let process, process.isRunning else { return }
        freeze()
        for child in children { Glibc.kill(child, SIGKILL) }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Stops all its processes until `goOn()`.
    package func freeze() { signal(SIGSTOP) }

    package func goOn() { signal(SIGCONT) }

    /// Signals the server first, so that it starts no other process.
    private func signal(_ number: Int32) {
        guard let process, process.isRunning else { return }
        Glibc.kill(process.processIdentifier, number)
        for child in children { Glibc.kill(child, number) }
    }

    private var children: [pid_t] {
        guard let parent = process?.processIdentifier else { return [] }
        let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
        return numbers.filter { number in
            // The name, which may have any characters, is in parentheses before the state and the parent.
            let text = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
            guard let name = text.lastIndex(of: ")") else { return false }
            return text[name...].split(separator: " ").dropFirst(2).first.flatMap { pid_t($0) } == parent
        }
    }
}
