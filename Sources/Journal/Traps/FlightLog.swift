// The daemon's flight record: kept while it runs, and read when it starts.

import CTrap
import GameFlow
import Logging
import Posix
import Sessions
import Store

package final class FlightLog {
    private let file: FlightFile
    /// The database that the sessions are in.
    private let identity: Int64
    /// The commands that can be running when the process dies.
    private let commands: [FlightNames.Command]
    /// The record of the previous daemon, if a session of this database ended it.
    private(set) var previousRecord: FlightRecord?
    /// Whether the file holds this process's own record.
    private var isKept = false

    /// Reads the record that the previous daemon left, and writes nothing.
    package init(in directory: String, identity: Int64, commands: [FlightNames.Command], log: Log) throws(StoreError) {
        file = FlightFile(in: directory)
        self.identity = identity
        self.commands = commands
        switch try file.read() {
        case .nothing: break
        case .damaged(let sentence): log.error(sentence)
        case .record(let record) where record.mark == nil: break
        case .record(let record) where record.identity != identity:
            log.notice("\(file.path) belongs to another database than the one beside it; it is replaced")
        case .record(let record): previousRecord = record
        }
    }

    /// The service manager watches the loop, and ends one that hangs: the session that it hangs in counts as one that traps.
    package static func enableWatchdog() { gamed_trap_watchdog() }

    /// The quarantine to apply before anything is restored.
    var quarantine: Quarantine? { previousRecord.map { Quarantine(record: $0, file: file) } }

    /// Starts recording work on these sessions. If that fails, the daemon runs on without quarantine.
    func begin(for sessions: Sessions, log: Log) {
        do throws(StoreError) {
            let names = FlightNames(sessions.flows, commands)
            let header = try file.make(names, identity: identity)
            isKept = true
            let failure = gamed_trap_watch(header, FlightFile.mappedSize)
            guard failure == 0 else { throw StoreError(.failed, systemErrorText(failure)) }
            sessions.flightRecorder = FlightRecorder(in: header)
        } catch {
            log.error("a session that traps will not be quarantined: \(error)")
        }
    }

    /// Other flows are hosted: the record gets their names.
    func updateNames(from sessions: Sessions, log: Log) {
        guard isKept else { return }
        do throws(StoreError) {
            let header = try file.make(FlightNames(sessions.flows, commands), identity: identity)
            gamed_trap_move(header)
            sessions.flightRecorder = FlightRecorder(in: header)
        } catch {
            log.error("if a session traps, its event may be named wrongly: \(error)")
        }
    }

    /// A clean end removes the record: no session was being handled.
    package func end(for sessions: Sessions) {
        guard isKept else { return }
        sessions.flightRecorder = nil
        gamed_trap_ignore()
        file.remove()
    }
}

// MARK: - The names that the flight record's numbers stand for

package struct FlightNames: Sendable {
    /// A command that can be running when the process dies.
    package struct Command: Sendable {
        let number: UInt16
        let name: String
        let changesSessions: Bool

        package init(number: UInt16, name: String, changesSessions: Bool) {
            self.number = number
            self.name = name
            self.changesSessions = changesSessions
        }
    }

    private let json: JSON

    package init(_ flows: [FlowKind], _ commands: [Command]) {
        json = [
            "flows": .object(flows.map { .init($0.name, Self.names(of: $0)) }),
            "commands": .object(
                commands.map { .init("\($0.number)", .array([.string($0.name), .bool($0.changesSessions)])) }),
        ]
    }

    private static func names(of kind: FlowKind) -> JSON {
        [
            "events": .array(kind.eventNames.map { .string($0) }),
            "timers": .array(kind.timers.map { .array([.string($0.name), $0.messageName.map { .string($0) } ?? .null]) }),
        ]
    }

    package init?(bytes: ArraySlice<UInt8>) {
        guard let json = try? JSON(parsing: String(decoding: bytes, as: UTF8.self)), json["flows"] != nil else { return nil }
        self.json = json
    }

    package var bytes: [UInt8] { Array(json.description.utf8) }

    package func event(_ number: UInt16, ofFlow flow: String) -> String? { element(number, "events", flow)?.text }

    /// The timer's name, and that of its event.
    package func timer(_ number: UInt16, ofFlow flow: String) -> (name: String, event: String?)? {
        guard let parts = element(number, "timers", flow)?.elements, let name = parts.first?.text else { return nil }
        return (name, parts.last?.text)
    }

    /// A command's name, and whether it changes anything.
    package func command(_ number: UInt16) -> (name: String, changes: Bool)? {
        guard let parts = json["commands"]?["\(number)"]?.elements, let name = parts.first?.text else { return nil }
        return (name, parts.last?.boolean ?? true)
    }

    private func element(_ number: UInt16, _ list: String, _ flow: String) -> JSON? {
        guard let elements = json["flows"]?[flow]?[list]?.elements, number < elements.count else { return nil }
        return elements[Int(number)]
    }
}

// MARK: - One session must not take the daemon down twice: the session that the previous daemon died of is quarantined before any is restored.

/// Runs on the writer's thread, once the log is in the tables.
struct Quarantine: Sendable {
    let record: FlightRecord
    let file: FlightFile

    /// Returns a sentence for the log. By then the session is quarantined on disk and the record is cleared.
    func apply(to tables: any StoreTables) throws -> String? {
        guard let mark = record.mark else { return nil }
        var text = "the previous daemon was ended by \(record.signalName): "
        if var quarantined = try find(mark, in: tables) {
            try tables.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in try quarantined.move(by: writer) }
            try tables.sync()
            text += quarantined.problem
        } else {
            text += record.problemWithoutSession(mark)
        }
        Failpoint.hit("after-quarantine")
        try file.clearSignal()
        return text
    }

    private struct SearchFinished: Error {}

    private func find(_ mark: FlightMark, in tables: any StoreTables) throws -> SetAsideRow? {
        guard let id = mark.row else { return nil }
        var found: SetAsideRow?
        do {
            try tables.load(
                .only, entries: 0, summary: { _ in },
                sessions: { row in
                    guard row.id == id else { return }
                    if mark.isOf(row) { found = quarantined(row, mark) }
                    throw SearchFinished()
                }, history: { _ in throw SearchFinished() })
        } catch is SearchFinished {}
        return found
    }

    private func quarantined(_ row: SessionRow, _ mark: FlightMark) -> SetAsideRow {
        let problem = FlightRecord.problem(mark, record.names, session: row.name.string, flow: row.flow.string)
        return SetAsideRow(row, problem: problem, isQuarantined: true)
    }
}

extension FlightMark {
    /// The session's row number; nil if it has no row.
    fileprivate var row: Int64? {
        switch activity {
        case .restoring: Int64(Int32(bitPattern: slot))
        case .event, .timer, .work, .read, .force, .command: slot == Self.noSlot ? nil : Int64(slot)
        }
    }

    /// The row on disk may be of an earlier session in the same slot: its life differs.
    fileprivate func isOf(_ row: SessionRow) -> Bool {
        stamp == 0 || LifeCounter.stamp(of: Life(truncatingIfNeeded: row.life)) == stamp
    }

    /// For a row being restored. Rows that were set aside have numbers below zero.
    package init(restoring row: Int64) {
        self.init(
            .restoring, of: row == SessionRow.unnumbered ? Self.noSlot : UInt32(bitPattern: Int32(truncatingIfNeeded: row)))
    }
}
