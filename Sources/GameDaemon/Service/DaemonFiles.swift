// The files of a running daemon: configuration, flows, and others. Flow files can be many and large, so all are read on a thread of
// their own.

import Commands
import Dispatch
import EventLoop
import GameFlow
import Logging
import Sessions

final class DaemonFiles: FileReloader {
    private let settings: LiveSettings
    /// The names of the flows that are part of the program.
    private let ownNames: [String]
    private let executor: (any TaskExecutor)?
    private unowned let sessions: Sessions
    private let log: Log
    /// The other files that are read again with new options, instead of those in force.
    private let others: (_ new: Options, _ inForce: Options) -> [Reloadable]
    /// The options read last.
    private var newest: Options?
    private let reading: LoopWork<Rereading>

    init(
        _ settings: LiveSettings, besides ownNames: [String], _ executor: (any TaskExecutor)?, for sessions: Sessions,
        on loop: Loop, log: Log, others: @escaping (_ new: Options, _ inForce: Options) -> [Reloadable]
    ) throws(LoopFailure) {
        self.settings = settings
        self.ownNames = ownNames
        self.executor = executor
        self.sessions = sessions
        self.log = log
        self.others = others
        reading = try LoopWork(on: loop, .global())
    }

    func read(onRead: @escaping (ReloadedFiles) -> Void) {
        let (options, names, executor) = (settings.options, ownNames, executor)
        let hosted = HostedFlows(sessions.flows)
        reading.run({ Rereading(options, besides: names, changing: hosted, executor) }) { [unowned self] in onRead(found($0)) }
    }

    func readNow() -> ReloadedFiles {
        found(Rereading(settings.options, besides: ownNames, changing: HostedFlows(sessions.flows), executor))
    }

    private func found(_ read: Rereading) -> ReloadedFiles {
        var found = read.files
        newest = read.configuration.options
        found.refusals = read.configuration.mistakes.map { ["\($0)"] }
        found.refusals += others(read.configuration.options, settings.options).compactMap(\.refusal)
        if found.refusals.isEmpty {
            let options = read.configuration.options
            found.refusals = options.startMistakes(with: flows(after: found), besides: settings.options).map {
                Service.lines(of: $0)
            }
        }
        found.warnings = read.configuration.warnings + found.warnings
        return found
    }

    /// The flows that a start would host; nil if not all flow files can be read.
    private func flows(after read: ReloadedFiles) -> [FlowKind]? {
        guard read.problems.isEmpty else { return nil }
        let replaced = Set(read.gone + read.kinds.map(\.name))
        return sessions.flows.filter { !replaced.contains($0.name) } + read.kinds
    }

    func applyOthers(isDry: Bool) -> [ReloadLine] {
        guard let newest else { return [] }
        self.newest = nil
        let reloadables = others(newest, settings.options)
        let changes = settings.changes(to: newest)
        let settingLines = changes.map { ReloadLine(.setting(needsRestart: $0.needsRestart), $0.description) }
        guard !isDry else { return reloadables.map(\.forecast) + settingLines }
        let lines = reloadables.map { $0.apply(log: log) }
        settings.apply(newest)
        for change in changes { log.notice(change.description) }
        return lines + settingLines
    }
}

/// The result of reading the files again. The reading thread hands it to the loop and keeps nothing of it: only one thread at a time uses its flows.
private struct Rereading: @unchecked Sendable {
    let configuration: Configuration
    let files: ReloadedFiles

    init(_ inForce: Options, besides ownNames: [String], changing hosted: HostedFlows, _ executor: (any TaskExecutor)?) {
        configuration = Configuration.again(inForce)
        files = FlowFileSet(reading: configuration.options.flowFiles, besides: ownNames).changes(from: hosted, executor)
    }
}

extension Options {
    /// Why a daemon would not start with these settings, although each has a valid value. Otherwise only the next restart would show that.
    fileprivate func startMistakes(with flows: [FlowKind]?, besides accepted: Options) -> [any Error] {
        let checks: [() throws -> Void] = [
            { try checkCluster() }, { try checkAddresses() }, { try checkBluetooth() }, { _ = try tokens() },
            { _ = try tlsContext() }, { if let flows { try checkSessions(in: flows, besides: accepted) } },
        ]
        return checks.compactMap { check in
            do { try check() } catch { return error }
            return nil
        }
    }
}
