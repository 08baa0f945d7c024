// What a reader is owed besides rows: who we are, views, lines, the status, the flows.

import Commands
import GameFlow
import Installation
import Memory
import Monitoring
import RESP
import Sessions
import Timers

extension Feed {
    /// `knownStatus` is the status as this turn has told it to those that see all sessions.
    func tell(_ reader: FeedReader, _ knownStatus: inout String?) {
        if reader.isOwedHello { tellHello(reader) }
        if !host.isLoading { tellOfSessions(reader) }
        if reader.isOwedStatus { reader.tell("status", id: id(of: reader), statusText(for: reader, &knownStatus)) }
        if reader.isOwedFlows { reader.tell("flows", id: id(of: reader), flowsText()) }
        if reader.isOwedBeat { reader.beat() }
        (reader.isOwedStatus, reader.isOwedFlows, reader.isOwedBeat) = (false, false, false)
    }

    /// Those of other nodes are told by links.
    private func tellOfSessions(_ reader: FeedReader) {
        if reader.links != nil {
            reader.owedLines = reader.owedLines.filter(isOwn)
            reader.owedViews = reader.owedViews.filter(isOwn)
        }
        for name in reader.owedLines { tellLines(name, to: reader) }
        for name in reader.owedViews {
            reader.tell("view", id: id(of: reader), viewText(name))
        }
        reader.owedViews = []
    }

    private func tellHello(_ reader: FeedReader) {
        reader.isOwedHello = false
        let clock: JSON = host.virtualClock == nil ? "system" : "virtual"
        var hello: [JSON.Member] = [
            .init("boot", .string(boot)), .init("version", .string(gamedVersion)), .init("clock", clock),
            .init("now_ms", .integer(host.wallMilliseconds)),
        ]
        if let node = host.cluster?.name { hello.append(.init("node", .string(node))) }
        reader.tell("hello", id: id(of: reader), JSON.object(hello).description)
    }

    private func viewText(_ name: ByteString) -> String {
        if let session = host.sessions.find(name) { host.sessions.resumeObserving(session.slot) }
        let view = host.views.texts.text(of: name)
        return #"{"session":"# + JSON.string(name.text).description + #","view":"# + view + "}"
    }

    /// The lines of a history that the reader has not been told, as far as they are kept.
    func tellLines(_ name: ByteString, to reader: FeedReader) {
        reader.owedLines.remove(name)
        guard let session = host.sessions.find(name) else {
            let isFirst = reader.told[name] == nil
            reader.told[name] = reader.told[name] ?? (0, 0)
            let none = JSON.object([.init("session", .string(name.text)), .init("lines", [])])
            return isFirst ? reader.tell("lines", id: id(of: reader), none.description) : ()
        }
        host.sessions.resumeObserving(session.slot)
        let (life, seq) = (session.life, session.seq)
        let told = reader.told[name].flatMap { $0.life == life ? $0.seq : nil } ?? 0
        reader.told[name] = (life, seq)
        guard seq > told else { return }
        let entries = session.entries(after: told, atMost: Lines.most, at: host.wallNanoseconds)
        // A new reader starts with the newest entries and misses nothing.
        let hasGap = told > 0 && !entries.isComplete
        reader.tell("lines", id: id(of: reader), Lines.text(entries.texts, of: session, hasGap: hasGap))
    }

    /// The same for all readers of a turn that see all sessions.
    private func statusText(for reader: FeedReader, _ known: inout String?) -> String {
        if reader.isNode { return statusText(of: reader.scope, isBrief: true) }
        if let scope = reader.scope { return statusText(of: scope) }
        let text = known ?? statusText(of: nil)
        known = text
        return text
    }

    /// Devices may belong to any session.
    private func statusText(of scope: SessionScope?, isBrief: Bool = false) -> String {
        let next = host.sessions.nextFirings(8, of: scope).map { firing -> JSON in
            let timer = firing.timer
            return [
                "session": .string(firing.session.name), "timer": .string(timer.plan.name),
                "event": timer.plan.messageName.map { .string($0) } ?? .null,
                "remaining_ms": .integer(timer.remaining?.milliseconds ?? 0),
            ]
        }
        let members: [JSON.Member] = [
            .init("streams", .integer(readerCount)), .init("next", .array(next)),
            .init("devices", .array(scope == nil ? host.devices.reports.map(\.webJSON) : [])),
            .init("clock_ms", .integer(Int(host.timekeeper.now.nanoseconds / 1_000_000))),
        ]
        let cluster = host.cluster.map { cluster -> [JSON.Member] in
            [.init("node", .string(cluster.name)), .init("cluster", cluster.json(isBrief: isBrief))]
        }
        return JSON.object(figures.members + members + (cluster ?? [])).description
    }
}

extension StatusFigures {
    fileprivate var members: [JSON.Member] {
        [
            .init("sessions", .integer(sessions)), .init("aside", .integer(aside)),
            .init("events_per_s", .number(rounded(eventsPerSecond))),
            .init("refused_per_s", .number(rounded(refusedPerSecond))),
            .init("lateness_p99_ms", .number(milliseconds(latenessP99))),
            .init("lateness_max_ms", .number(milliseconds(latenessMost))),
            .init("turn_max_ms", .number(milliseconds(turnMost))),
            .init("journal", journalJSON), .init("connections", .integer(connections)),
            .init("memory_bytes", .integer(memoryBytes)),
            .init("uptime_s", .integer(Int(uptime.components.seconds))), .init("trouble", trouble.map { .string($0) } ?? .null),
        ]
    }

    private var journalJSON: JSON {
        guard let journal else {
            return ["durability": "none", "status": "none", "failure": .null, "backlog_bytes": 0]
        }
        return [
            "durability": .string(journal.durability), "status": journal.failure == nil ? "ok" : "failing",
            "failure": journal.failure.map { .string($0) } ?? .null, "backlog_bytes": .integer(journal.backlogBytes),
        ]
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    private func milliseconds(_ duration: Duration) -> Double { Double(duration.wholeNanoseconds / 1_000) / 1_000 }
}
