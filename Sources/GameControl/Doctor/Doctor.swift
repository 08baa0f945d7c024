// `gamectl doctor`: checks everything that a daemon depends on, and reports problems and how to fix them.

import Client
import Glibc
import Posix
import RESP

struct Doctor {
    private let daemon: DaemonClient
    private(set) var findings: [Finding] = []
    /// Whether a daemon has answered.
    private(set) var hasDaemon = false

    /// Looks at everything, in the order in which one thing depends on the other. Throws if a file of TLS is wrong: then nothing is known of the
    /// daemon.
    init(_ daemon: DaemonClient) throws(ControlError) {
        self.daemon = daemon
        let file: SocketFile? = if case .socket(let path) = daemon.address { SocketFile(at: path) } else { nil }
        findings += file?.findings ?? []
        do throws(ControlError) {
            let report = try daemon.report()
            hasDaemon = true
            inspect(report)
        } catch .refused(let code, let sentence) {
            hasDaemon = true
            findings.append(.refused(code, sentence, by: daemon.address))
            inspectMachine()
        } catch .noConnection(let reason) {
            throw .noConnection(because: reason)
        } catch {
            // A file that is no socket was reported already.
            if file?.isSocket != false {
                findings.append(.unreachable(error.sentence, file, isLocal: daemon.address.isLocal))
            }
            inspectMachine()
        }
    }

    /// In seconds since 1970.
    private static var now: Int { Int(TurnClock.now().wallNanoseconds / 1_000_000_000) }

    private mutating func inspect(_ report: DaemonReport) {
        findings.append(.good("daemon", "process \(report["process_id"] ?? "?") answers at \(daemon.address)"))
        let facts = daemon.address.isLocal ? report.process.map(ProcessFacts.init) : nil
        findings.append(.version(report, facts))
        findings += Finding.storage(report)
        // A cluster's data are in the database.
        if let facts, let path = report["directory"], report["cluster_enabled"] != "1" { inspectData(path, of: facts) }
        findings += Finding.sessions(report)
        inspectFlows()
        findings += [facts.flatMap { .descriptors(report, $0) }, facts.flatMap(Finding.memory)].compactMap(\.self)
        findings += Finding.clients(report) + Finding.pace(report)
        findings += [.certificate(report, at: Self.now)].compactMap(\.self)
        if daemon.address.isLocal { inspectClock(report) }
    }

    /// No daemon reports: checks the machine alone.
    private mutating func inspectMachine() {
        guard daemon.address.isLocal else { return }
        if access(DefaultPaths.data, F_OK) == 0 { findings += Finding.data(at: DefaultPaths.data) }
        inspectClock(DaemonReport(""))
    }

    /// A relative path is the daemon's, and not the caller's.
    private mutating func inspectData(_ path: String, of facts: ProcessFacts) {
        guard let path = facts.absolute(path) else {
            let sentence = "\(path) is relative to the daemon's working directory, which cannot be read"
            findings.append(.doubtful("data", sentence, "run gamectl doctor as the daemon's user"))
            return
        }
        findings += Finding.data(at: path, of: facts)
    }

    private mutating func inspectClock(_ report: DaemonReport) {
        findings.append(.clock(report, isSynchronized: ClockSynchronization.isThere, seconds: Self.now))
    }

    private mutating func inspectFlows() {
        do throws(ControlError) {
            findings += Finding.flows(try daemon.ask(["RELOAD", "DRY", "FULL"]).elements)
        } catch .refused(.badFlow, let sentence) {
            findings.append(.brokenFlows(sentence))
        } catch .refused(.badConfiguration, let sentence) {
            findings.append(.brokenSettings(sentence))
        } catch .refused(.noPermission, _) {
            // A client without permission for this command does not need the result.
        } catch {
            findings.append(.uncheckedFlows(error))
        }
    }
}
