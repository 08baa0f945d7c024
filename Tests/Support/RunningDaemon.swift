// A real gamed in its own process.

import Foundation

#if canImport(Testing)
    import Testing
#endif

/// The daemon did not start or report as the test needs.
package struct UnexpectedDaemonState: Error, CustomStringConvertible {
    package let description: String
}

package final class RunningDaemon {
    /// Removed in `deinit`, unless it is a `Folder` of the test's.
    package let folder: URL
    private let kept: Folder?
    private let program: RunningProgram
    package let socketPath: String
    /// The connection that `answer` reuses; nil until its first call and after an error.
    private var connection: TestClient?
    /// Measures how long clients wait; nil with `unprobed`.
    private var probe: LoopProbe?

    /// Starts gamed with these arguments. By default it listens in the test's folder without persistence. `products` contains the program.
    /// `unprobed` is the reason for running without a probe.
    package convenience init(
        _ arguments: [String]? = nil, in folder: URL? = nil, maxDescriptors: Int? = nil, environment: [String: String] = [:],
        products: URL = productsDirectory, program name: String = "gamed", unprobed: String? = nil
    ) throws {
        let folder = folder ?? Self.newFolder()
        let words = arguments ?? ["--socket", folder.path + "/gamed.sock"]
        // The default keeps the daemon away from the machine's own sessions.
        let store = words.contains("--data") || words.contains("--store") ? [] : ["--data", "none"]
        try self.init(
            store + words, in: folder, nil, maxDescriptors, environment, products.appending(path: name), unprobed: unprobed)
    }

    /// Starts a daemon that stores sessions in a folder that outlives it, or in a database. Daemons in one folder need different sockets.
    package convenience init(
        keepingIn folder: Folder, _ words: [String] = ["--durability", "always"], environment: [String: String] = [:],
        data: String? = nil, store: String? = nil, socket: String? = nil, program: String = "gamed",
        unprobed: String? = nil
    ) throws {
        let words =
            ["--socket", socket ?? folder.socket] + (store.map { ["--store", $0] } ?? ["--data", data ?? folder.data]) + words
        try self.init(
            words, in: URL(fileURLWithPath: folder.path), folder, nil, environment, productsDirectory.appending(path: program),
            unprobed: unprobed)
    }

    private init(
        _ words: [String], in folder: URL, _ kept: Folder?, _ maxDescriptors: Int?, _ environment: [String: String],
        _ program: URL, unprobed: String?
    ) throws {
        (self.folder, self.kept) = (folder, kept)
        socketPath = words.firstIndex(of: "--socket").map { words[$0 + 1] } ?? folder.path + "/gamed.sock"
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = folder.path + "/" + (kept == nil ? "" : "\(UUID().uuidString.prefix(8))-")
        let bounded = maxDescriptors.map { ["-c", "ulimit -n \($0); exec \"$0\" \"$@\"", program.path] + words }
        self.program = try RunningProgram(
            bounded == nil ? program.path : "/bin/sh", bounded ?? words, environment: environment, files: files)
        if unprobed == nil { probe = LoopProbe(processID, words) }
    }

    /// The path of a new temporary directory. `init` creates it and `deinit` removes it.
    package static func newFolder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "gamed-\(UUID().uuidString.prefix(8))")
    }

    deinit {
        if let fault = probe?.end() { Self.report(fault) }
        if isRunning { killIt() }
        if kept == nil { try? FileManager.default.removeItem(at: folder) }
    }

    /// Prints the fault in the optimized build of the benchmarks, which has no Testing library.
    private static func report(_ fault: String) {
        #if canImport(Testing)
            Issue.record("\(fault)")
        #else
            print(fault)
        #endif
    }

    package var processID: Int32 { program.processID }
    package var isRunning: Bool { program.isRunning }

    // MARK: Output

    /// Waits for the next line on standard output; nil after the daemon has ended.
    package func readLine() -> String? { program.readLine() }

    /// The standard output so far.
    package var said: String { program.said }
    /// The standard error so far.
    package var errors: String { program.errors }

    /// Waits up to 20 seconds for the text on standard error.
    package func complains(_ text: String) -> Bool { program.complains(text) }

    /// Waits until the daemon has started and recovered its sessions. Returns false if it has ended.
    package func waitUntilUp() -> Bool {
        eventually { said.contains("kept: ") || !isRunning } && said.contains("kept: ")
    }

    // MARK: Stopping

    package func signal(_ number: Int32) { program.signal(number) }

    /// Sends SIGKILL and waits for the end.
    package func killIt() { program.killIt() }

    /// Sends SIGTERM and waits. Returns the exit status, or the signal's number below zero.
    @discardableResult
    package func stop() -> Int32 { program.stop() }

    /// Waits for the end. Returns the exit status, or the signal's number below zero. After 30 seconds it kills the daemon and returns `Int32.min`.
    package func waitForStatus() -> Int32 { program.waitForStatus() }

    /// Waits for the end. Returns the standard error and the status.
    package func waitForEnd() -> (errors: String, status: Int32) { program.waitForEnd() }

    // MARK: Commands

    package func client() throws -> TestClient { try TestClient(socketPath) }

    /// Returns the reply to a command, over a new connection.
    package func ask(_ words: String...) throws -> Answer { try client().ask(words.joined(separator: " ")) }

    /// Sends commands, over one new connection, and waits for each reply. Throws at the first error.
    package func execute(_ lines: String...) throws {
        let client = try client()
        for line in lines {
            let answer = try client.ask(line)
            if answer.isError { throw UnexpectedDaemonState(description: "\(line): \(answer.sentence ?? "")") }
        }
    }

    /// Returns the reply to a command, over one connection that is reused while it lasts.
    package func answer(_ words: String...) throws -> Answer { try answer(words: words) }

    package func answer(words: [String]) throws -> Answer {
        do {
            let client = try connection ?? client()
            connection = client
            return try client.ask(words: words)
        } catch {
            connection = nil
            throw error
        }
    }

    /// Waits until the daemon replies. Returns false if it has ended.
    package func waitUntilReplying() -> Bool {
        eventually { !isRunning || (try? answer("PING")) != nil } && isRunning
    }

    // MARK: Resources

    /// The number of open descriptors.
    package func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count
    }

    /// The descriptors that are sockets.
    package func socketNumbers() throws -> Set<Int> {
        let folder = "/proc/\(processID)/fd/"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            // A descriptor that was closed meanwhile has no link.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + name)
            return target?.hasPrefix("socket:") == true
        }
        return Set(names.compactMap { Int($0) })
    }

    /// A number from the process's status file, such as `VmRSS` in kilobytes.
    package func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        guard let number = line.flatMap({ Int($0.split(whereSeparator: \.isWhitespace)[1]) }) else {
            throw UnexpectedDaemonState(description: "its status has no number \(name)")
        }
        return number
    }
}

extension RunningDaemon {
    /// Starts a daemon and waits until it listens, also at a TCP port of this machine.
    package static func overTCP(
        _ more: [String] = [], in folder: URL = newFolder(), unprobed: String? = nil
    ) throws -> (daemon: RunningDaemon, port: UInt16) {
        let words = [
            "--socket", folder.path + "/gamed.sock", "--listen", "127.0.0.1:0", "--trust-loopback", "--http", "none",
            "--config", "none",
        ]
        let daemon = try RunningDaemon(words + more, in: folder, unprobed: unprobed)
        let line = daemon.readLine() ?? daemon.errors
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw UnexpectedDaemonState(description: "it says no port: \(line)")
        }
        return (daemon, port)
    }

    /// Starts a daemon in virtual time and waits until it listens.
    package static func virtual(
        _ more: [String] = [], products: URL = productsDirectory, unprobed: String? = nil
    ) throws -> RunningDaemon {
        let folder = newFolder()
        let words = ["--socket", folder.path + "/gamed.sock", "--time", "virtual"]
        let daemon = try RunningDaemon(words + more, in: folder, products: products, unprobed: unprobed)
        guard daemon.readLine()?.contains("listens at") == true else {
            throw UnexpectedDaemonState(description: "it does not listen: \(daemon.errors)")
        }
        return daemon
    }
}
