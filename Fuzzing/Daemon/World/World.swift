// A daemon and its clients, on which a program runs. The results are checked after each step.

import GameFlow
import Memory
import MemoryStore
import RESP
import Timers
@testable import Commands
@testable import Console
@testable import GameDaemon
@testable import Journal
@testable import Simulation
@testable import SQLiteStore
@testable import Sessions
@testable import Store

final class World {
    static let token = "a-token-of-many-letters"
    /// The last one is remote, and must send the token.
    static let clientCount = 3

    private let standIns = StandIns()
    private(set) var life: Life
    private var clients: [ByteClient] = []
    private var model = TurnsModel()
    private var sends = SendsModel()
    private let size: ChartSize
    /// The states to which a crash may return, the newest last; empty if it is only the present one.
    private var saved: [Saved] = []
    /// Whether the process may die in any of its transactions.
    private var isDying = false
    /// Input for the current turn.
    private var input: [Input] = []
    /// The known state of the session that the current request is about.
    private var before: Before?

    private enum Input {
        case bytes(client: Int, ArraySlice<UInt8>)
        case end(client: Int)
    }

    private struct Saved {
        let snapshot: Snapshot
        let model: TurnsModel
        let sends: SendsModel
    }

    private struct Before {
        let now: Instant
        let name: String?
        let image: SessionImage?
        let life: UInt32?
    }

    init(_ durability: Durability, _ size: ChartSize) throws {
        self.size = size
        life = try Life(MemoryStore(durability, historyCapacity: Life.historyLines), standIns, size)
        try life.recover()
        meetClients()
        saved = [Saved(snapshot: snapshot(), model: model, sends: sends)]
        if durability == .always { saved = [] }
    }

    private var daemon: Daemon { life.daemon }
    private var inspector: LocalClient { life.inspector }

    private func meetClients() {
        clients = (0..<Self.clientCount).map { ByteClient($0, isFromAfar: $0 == Self.clientCount - 1, of: daemon) }
    }

    // MARK: Steps

    func run(_ program: Program) throws {
        for step in program.steps { try run(step) }
        try run(.endTurn)
        // A clean restart must lose nothing.
        try run(.restart(.clean))
    }

    func run(_ step: Step) throws {
        switch step {
        case .say(let client, let requests, let pieces): send(client, requests.flatMap(\.bytes), pieces)
        case .babble(let client, let bytes):
            send(client, bytes, .max)
            input.append(.end(client: client))
        case .read(let client, let reads): clients[client].reads = reads
        case .hangUp(let client): input.append(.end(client: client))
        case .standIn(let directive): standIns.apply(directive)
        case .endTurn: try endTurn()
        case .restart(let ending):
            try endTurn()
            try restart(ending)
        case .dieSoon(let transactions):
            try endTurn()
            guard !isDying else { return }
            // With `everysec`, the writer may lag behind, and the possible states have been recorded already.
            if life.store.durability == .always { saved = [Saved(snapshot: snapshot(), model: model, sends: sends)] }
            isDying = true
            life.store.die(after: transactions)
        }
    }

    private func send(_ client: Int, _ bytes: [UInt8], _ pieceLength: Int) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieceLength)
            rest = rest.dropFirst(piece.count)
            input.append(.bytes(client: client, piece))
        }
    }

    private func handle(_ input: Input) throws(Fault) {
        switch input {
        case .bytes(let client, let bytes): try clients[client].receive(bytes, before: recordState, after: checkAnswer)
        case .end(let client): hangUp(client)
        }
    }

    private func hangUp(_ client: Int) {
        daemon.host.subscriptions.removeAll(of: clients[client].client)
        clients[client] = ByteClient(client, isFromAfar: client == Self.clientCount - 1, of: daemon)
    }

    // MARK: Requests

    private func recordState(before words: [[UInt8]]) {
        let name = words.count > 1 ? String(validating: words[1], as: UTF8.self) : nil
        before = Before(
            now: daemon.timekeeper.now, name: name,
            image: name.flatMap { daemon.sessions[$0] == nil ? nil : image(of: $0, lines: 1) },
            life: name.flatMap { daemon.sessions.find(ByteString($0))?.life })
    }

    private func checkAnswer(_ exchange: ByteClient.Exchange) throws(Fault) {
        do throws(Fault) {
            try check(exchange)
        } catch {
            let line = Step.Request(words: exchange.words, isInline: false).line
            throw Fault("client \(exchange.client) says \(line.prefix(2_000)): \(error)")
        }
    }

    private func check(_ exchange: ByteClient.Exchange) throws(Fault) {
        let command = String(decoding: exchange.words[0], as: UTF8.self).uppercased()
        // One setting would have a single command fire timers for hours.
        daemon.limits.advanceFirings = min(daemon.limits.advanceFirings, Life.maxFirings)
        let reply = try answer(command, exchange)
        try reply.checkAsError()
        if exchange.wasRestricted, reply == .simple("QUEUED") { return }
        try promise(ReplyKind.of(command).fits(reply), "the reply does not fit the command: \(reply.readable)")
        if reply.code != nil { try checkThatNothingHasChanged(reply) }
        if exchange.wasRestricted, reply.isForbidden { return }
        if command == "EXEC", reply.code == nil { return try believe(reply) }
        if command == "SEND", try isAnsweredAgain(exchange, reply) { return try checkThatNothingHasChanged(reply) }
        try model.apply(exchange.words, reply, circumstances)
    }

    /// Each request has one reply; subscribing has one message for each name.
    private func answer(_ command: String, _ exchange: ByteClient.Exchange) throws(Fault) -> Reply {
        let (replies, pushes) = (exchange.replies, exchange.pushes)
        if Subscribing.commands.contains(command), replies.isEmpty {
            let confirmations = pushes.filter { $0.parts.first?.text == command.lowercased() }
            let channels = Subscribing.channels(exchange.words)
            let isRight = channels > 0 ? confirmations.count == channels : !confirmations.isEmpty
            try promise(isRight, "\(confirmations.count) confirmations")
            return .simple("OK")
        }
        try promise(replies.count == 1, "there are \(replies.count) answers: \(replies.map(\.readable))")
        return replies[0]
    }

    /// The combined effect of a transaction's commands is not predicted.
    private func believe(_ reply: Reply) throws(Fault) {
        for part in reply.parts { try part.checkAsError() }
        var sessions: [ByteString: TurnsSession] = [:]
        for session in daemon.sessions.all { sessions[session.nameBytes] = observe(session.nameBytes) }
        model.believe(sessions)
        sends.believe(shownSends())
    }

    /// Whether a SEND repeats an id that the session remembers.
    private func isAnsweredAgain(_ exchange: ByteClient.Exchange, _ reply: Reply) throws(Fault) -> Bool {
        guard exchange.words.count > 1 else { return false }
        let name = exchange.words[1].withUnsafeBytes { ByteString($0) }
        let sending = SendsModel.Sending(
            words: exchange.words, actor: exchange.actor, reply: reply, lifeBefore: before?.life)
        return try sends.apply(sending, to: name, daemon.sessions.find(name).map(Self.shown), limit: daemon.limits.ids)
    }

    private static func shown(_ session: Session) -> SendsModel.Shown {
        SendsModel.Shown(life: session.life, events: session.machine.sent?.events ?? [])
    }

    private func shownSends() -> [ByteString: SendsModel.Shown] {
        var shown: [ByteString: SendsModel.Shown] = [:]
        for session in daemon.sessions.all { shown[session.nameBytes] = Self.shown(session) }
        return shown
    }

    private func checkThatNothingHasChanged(_ reply: Reply) throws(Fault) {
        guard let before, let name = before.name, let image = before.image, reply.code != .limit else { return }
        let now = self.image(of: name, lines: 1)
        try promise(
            now.state.untouched == image.state.untouched && now.timers == image.timers && now.events == image.events,
            "\(reply.readable)\n and yet it has changed:\n\(image.difference(from: now))")
    }

    private var circumstances: TurnsModel.Circumstances {
        TurnsModel.Circumstances(
            before: before?.now ?? .zero, after: daemon.timekeeper.now, sessionCount: daemon.sessions.count,
            limits: daemon.limits, observe: observe
        ) { [unowned self] in daemon.sessions.find($0) != nil }
    }

    /// The model's view of a session, taken from the session itself.
    private func observe(_ name: ByteString) -> TurnsSession? {
        guard let machine = daemon.sessions.find(name)?.machine, machine.flowName == "turns" else { return nil }
        let timer = machine.timers.last { $0.remaining != nil }
        return TurnsSession(
            isSecond: machine.stateName == "second", version: machine.version, isFrozen: machine.isFrozen,
            isTimerPaused: timer?.isPaused ?? false, left: timer?.left)
    }

    // MARK: Turns

    private func endTurn() throws {
        let pieces = input
        input = []
        try life.turn { () throws(Fault) in
            for client in clients { try client.answerInput(before: recordState, after: checkAnswer) }
            for piece in pieces { try handle(piece) }
        }
        try life.runUntilIdle(afterEach: saveRestorableState)
        try checkClients()
        try checkSessions()
        if isDying, life.hasFailed { try restart(.crash) }
    }

    private func checkClients() throws(Fault) {
        for (number, client) in clients.enumerated() {
            let said = try client.collect()
            try promise(
                said.replies.isEmpty, "client \(number) got replies without a request: \(said.replies.map(\.readable))")
            if client.isClosing || client.output.count >= daemon.limits.outputBytes {
                hangUp(number)
            } else {
                try Budget.check(client, daemon.limits)
            }
        }
        try Budget.check(daemon)
    }

    private func checkSessions() throws(Fault) {
        for name in model.sessions.keys {
            let state = inspector.run(["STATE", name.text]).last ?? .null
            try model.check(name, state, inspector.run(["TIMERS", name.text]).last ?? .null)
        }
        let count = daemon.sessions.all.count { $0.machine.flowName == "turns" }
        try promise(
            count == model.sessions.count, "there are \(count) sessions of 'turns', and should be \(model.sessions.count)")
        for (name, shown) in shownSends() { try sends.check(name, shown) }
        for session in daemon.sessions.all where session.machine.kind.origin != nil {
            for command in ["VIEW", "STATE", "HISTORY"] {
                let reply = inspector.run([command, session.name]).last ?? .null
                try promise(reply.code == nil, "\(command) of '\(session.name)' should answer: \(reply.readable)")
            }
        }
    }

    // MARK: Restarts

    /// Records the state after a turn, if a crash may return to it.
    private func saveRestorableState() {
        let isPatient = life.store.durability == .everysec
        guard isDying || isPatient else { return }
        guard isPatient || life.hasNothingToLose else { return }
        let now = Saved(snapshot: snapshot(), model: model, sends: sends)
        saved = life.hasNothingToLose ? [now] : saved + [now]
    }

    private func restart(_ ending: Step.Ending) throws {
        if saved.isEmpty { saved = [Saved(snapshot: snapshot(), model: model, sends: sends)] }
        if case .clean = ending { try stop() }
        if case .crashTwice = ending {
            let next = life.store.successor()
            next.die(after: saved.count % 3)
            try startAgain(next)
        }
        try startAgain(life.store.successor())
        try checkWhatCameBack()
    }

    private func stop() throws {
        do {
            try life.stop()
            saved = [saved[saved.count - 1]]
        } catch {
            try promise(isDying, "it could not be stopped: \(error)")
        }
    }

    /// A process that dies at the start has sent no reply.
    private func startAgain(_ store: MemoryStore) throws {
        for client in clients { daemon.host.subscriptions.removeAll(of: client.client) }
        clients = []
        let last = WeakReference(daemon)
        life = try Life(store, standIns, size)
        try promise(last.object == nil, "something keeps a daemon that has ended")
        meetClients()
        do { try life.recover() } catch { try promise("\(error)".contains("has died"), "it does not start again: \(error)") }
    }

    private func checkWhatCameBack() throws {
        for session in daemon.sessions.setAsideSessions.values {
            throw Fault("'\(session.name.text)' has not come back: \(session.problem)")
        }
        let now = snapshot()
        guard let before = saved.last(where: { $0.snapshot == now }) else {
            throw Fault("after a restart:\n\(saved[saved.count - 1].snapshot.difference(from: now))")
        }
        (model, sends, saved, isDying) = (before.model, before.sends, [], false)
        if life.store.durability == .everysec { saved = [before] }
        try life.runUntilIdle(afterEach: saveRestorableState)
        try checkSessions()
    }

    // MARK: Snapshots

    private func snapshot() -> Snapshot {
        var sessions: [ByteString: SessionImage] = [:]
        for session in daemon.sessions.all { sessions[ByteString(session.name)] = image(of: session.name) }
        return Snapshot(sessions: sessions)
    }

    private func image(of name: String, lines: Int = 100) -> SessionImage {
        let ask = { (words: String...) in (self.inspector.run(words).last ?? .null).lasting }
        return SessionImage(
            state: ask("STATE", name), timers: ask("TIMERS", name), events: ask("EVENTS", name),
            history: ask("HISTORY", name, "COUNT", "\(lines)").asStored, sent: daemon.sessions[name]?.sent?.events ?? [])
    }
}

private final class WeakReference {
    weak var object: Daemon?

    init(_ object: Daemon) {
        self.object = object
    }
}
