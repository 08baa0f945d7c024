// RELOADs, one behind the other. Each reads the files and moves sessions to the flows that have changed, over as many turns as it takes.

import GameFlow
import RESP
import Sessions

/// Notified when a reload begins and ends, not of dry runs.
package protocol ReloadingDelegate: AnyObject {
    func reloadDidBegin()
    func reloadDidEnd(isRight: Bool)
}

package final class Reloader {
    private struct Request {
        let isDry: Bool
        var isFull = false
        /// Nil if a signal has asked, and once its client is gone.
        weak var answer: PendingValue<ReloadReply>?
        let name: String
    }

    private unowned let host: Host
    private var current: Request?
    private var requests: [Request] = []
    private var read = ReloadedFiles()
    private var change: FlowChange?
    private var report: ReloadReport
    package weak var delegate: (any ReloadingDelegate)?
    /// Keeps the scheduled next attempt of a waiting change.
    private var later: AnyObject?

    /// Sessions moved between two looks at the clock: one with a thousand timers takes some 10 ms.
    private static let sessionsAtOnce = 1
    /// Time per turn for it at the most: the loop serves others in between.
    private static let slice = Duration.milliseconds(2)
    /// How soon it looks again whether it can go on.
    private static let timeout = 20

    init(of host: Host) {
        self.host = host
        report = ReloadReport(host.log)
    }

    /// A signal asks for it.
    package func begin() { begin(Request(isDry: false, name: "SIGHUP")) }

    /// Answers when it is done, with a line for each change.
    func begin(isDry: Bool, isFull: Bool, for client: Client) throws(CommandError) -> CommandAnswer<ReloadReply> {
        var request = Request(isDry: isDry, isFull: isFull, name: isDry ? "RELOAD DRY" : "RELOAD")
        guard client.canAwaitAnswers, host.turns != nil else { return .now(try runToEnd(request)) }
        let answer = PendingValue<ReloadReply>()
        request.answer = answer
        begin(request)
        return .later(answer)
    }

    private func begin(_ request: Request) {
        guard current == nil else { return requests.append(request) }
        current = request
        if !request.isDry { delegate?.reloadDidBegin() }
        guard let files = host.files else { return startChange(with: ReloadedFiles()) }
        files.read { [unowned self] in startChange(with: $0) }
    }

    /// For clients that are answered at once.
    private func runToEnd(_ request: Request) throws(CommandError) -> ReloadReply {
        guard current == nil else { throw CommandError(.busy, "a RELOAD is running already; try again in a moment") }
        if !request.isDry { delegate?.reloadDidBegin() }
        host.advances.finishInstant()
        let read = host.files?.readNow() ?? ReloadedFiles()
        let change = begin(read, request)
        while let change, !change.isOver, !change.isWaiting { change.step(atMost: Self.sessionsAtOnce) }
        finish(read, change, request)
        return try report.reply(isFull: request.isFull).get()
    }

    // MARK: Going on

    private func startChange(with read: ReloadedFiles) {
        guard let request = current else { return }
        self.read = read
        change = begin(read, request)
        resume()
    }

    private func begin(_ read: ReloadedFiles, _ request: Request) -> FlowChange? {
        report = ReloadReport(host.log, request.name, isDry: request.isDry)
        guard read.isRight else { return nil }
        defer { report.others = host.files?.applyOthers(isDry: request.isDry) ?? [] }
        host.refusals.forget()
        return FlowChange(
            of: host.sessions, hosting: read.kinds, without: read.gone.compactMap { host.sessions.flow(named: $0) },
            isDry: request.isDry, delegate: self)
    }

    private func resume() {
        guard let request = current else { return }
        guard let change, !change.isOver else { return end(request) }
        guard mayContinue(request) else { return scheduleRetry() }
        let watch = SystemClock()
        let end = watch.now.advanced(by: Self.slice)
        repeat { change.step(atMost: Self.sessionsAtOnce) } while !change.isOver && !change.isWaiting && watch.now < end
        if change.isWaiting { scheduleRetry() } else { host.turns?.schedule { [unowned self] in resume() } }
    }

    /// Not in the middle of an ADVANCE, nor, unless it only reports, while nothing may change. Otherwise all due timers have fired.
    private func mayContinue(_ request: Request) -> Bool {
        (request.isDry || !host.isUnavailable && !host.isJournalBehind) && host.advances.finishInstant()
    }

    private func scheduleRetry() {
        later = host.turns?.schedule(after: Self.timeout) { [unowned self] in
            later = nil
            resume()
        }
    }

    private func end(_ request: Request) {
        finish(read, change, request)
        (current, change, read) = (nil, nil, ReloadedFiles())
        request.answer?.complete(with: report.reply(isFull: request.isFull))
        if !requests.isEmpty { begin(requests.removeFirst()) }
    }

    private func finish(_ read: ReloadedFiles, _ change: FlowChange?, _ request: Request) {
        host.refusals.forget()
        report.add(read, change?.summaries ?? [])
        if !request.isDry { delegate?.reloadDidEnd(isRight: read.isRight) }
    }
}

extension Reloader: FlowChange.Delegate {
    package func didMove(_ session: Session) { host.feed.sessionDidChange(session.nameBytes) }

    package func didSetAside(_ session: SetAsideSession) {
        report.recordSetAside(session)
        host.feed.sessionDidChange(session.name)
    }

    package func didReinstate(_ session: Session) { host.feed.sessionDidChange(session.nameBytes) }
}

// MARK: - The files that the daemon was started with, as RELOAD and SIGHUP see them

/// The result of reading the files again.
package struct ReloadedFiles {
    /// Flows that are new or have changed.
    package var kinds: [FlowKind] = []
    /// The names of flows without a file now.
    package var gone: [String] = []
    /// The names of flows that are as they were.
    package var unchanged: [String] = []
    /// Problems of flow files, a sentence each. If there are any, nothing changes.
    package var problems: [String] = []
    /// Problems of the configuration and of other files, some lines each. If there are any, nothing changes either.
    package var refusals: [[String]] = []
    /// Warnings about settings and flow files.
    package var warnings: [FileWarning] = []
    package init() {}

    var isRight: Bool { problems.isEmpty && refusals.isEmpty }
}

/// A warning about a file or a setting.
package struct FileWarning: Equatable, Sendable {
    /// The file, with line and column where they are known, or the setting.
    private let place: String
    private let sentence: String

    package init(_ place: String, _ sentence: String) { (self.place, self.sentence) = (place, sentence) }

    /// For a reply or a terminal, as compilers write it.
    package var line: String { "\(place): warning: \(sentence)" }

    /// For the log, whose lines begin with their level.
    package var logLine: String { "\(place): \(sentence)" }
}

/// Reads the files again.
package protocol FileReloader: AnyObject {
    /// Reads them on another thread, as that can take long, and calls `onRead` in a turn. Without turns both is done at once.
    func read(onRead: @escaping (ReloadedFiles) -> Void)
    /// The same at once.
    func readNow() -> ReloadedFiles
    /// Applies the other files that were read, and returns the outcome of each. By then, flows that have changed are hosted; files of devices may
    /// name them.
    func applyOthers(isDry: Bool) -> [ReloadLine]
}
