// `--import` and `--export`: everything moves from a data directory into a database, or back.

import Commands
import Glibc
import Journal
import Logging
import Posix
import PostgresStore
import SQLiteStore
import Store
import Texts

struct StoreTransfer {
    enum Direction: String {
        case importing = "--import"
        case exporting = "--export"
    }

    private let options: Options
    private let direction: Direction
    private let directory: String
    /// The database's address.
    private let address: String

    init(_ configuration: Configuration, _ direction: Direction, _ directory: String) throws {
        options = try configuration.optionsOfTask()
        (self.direction, self.directory) = (direction, directory)
        guard let address = options.cluster.store else {
            throw UsageError(
                "\(direction.rawValue) needs the database's address: --store postgres://gamed@db/gamed \(direction.rawValue) \(directory)"
            )
        }
        self.address = address
    }

    func run() throws {
        // Without a reader, the lines are lost, but not the move.
        signal(SIGPIPE, SIG_IGN)
        let (moved, place) = try direction == .importing ? importDirectory() : exportDirectory()
        try writeLine("moved \("session".counted(moved.sessions)) and \("line".counted(moved.lines)) of history to \(place)")
        if moved.setAside > 0 {
            let flows = moved.flowsOfSetAside.sorted().joined(separator: ", ")
            try writeLine(
                "\(moved.setAside) of them are set aside, of the flows \(flows): start the next daemon with these flows to restore them"
            )
        }
        if moved.repaired > 0 {
            try writeLine(
                "in \(moved.repaired) of these rows, text that was not UTF-8 or a time outside the calendar was corrected")
        }
        switch direction {
        case .importing:
            try writeLine(
                "start nodes with --store; no daemon starts on \(directory) until gamed.moved in it is deleted")
        case .exporting: try writeLine("start a daemon with --data \(directory); no node starts on the database now")
        }
    }

    private func importDirectory() throws -> (StoreMove.Moved, place: String) {
        let database = try PostgresMove(address, as: .target, historyCapacity: options.limits.historyLines)
        let (source, flight) = try orGivingUp(database) {
            let source = try DirectoryMove(
                from: directory, boot: TurnClock.bootID, resumingTo: database.isRepeated ? database.store.place : nil)
            let flight = try FlightLog(
                in: directory, identity: source.identity, commands: CommandTable.all.flightNames,
                log: .standardError(level: options.logLevel))
            return (source, flight)
        }
        return (try move(from: source, to: database, after: flight), database.store.place)
    }

    private func exportDirectory() throws -> (StoreMove.Moved, place: String) {
        let target = try DirectoryMove(to: directory)
        let database = try orGivingUp(target) {
            try PostgresMove(address, as: .source, historyCapacity: options.limits.historyLines)
        }
        return (try move(from: database, to: target), directory)
    }

    /// The target is as it was if its source cannot be opened.
    private func orGivingUp<Source>(_ target: any StoreMoving, _ open: () throws -> Source) throws -> Source {
        do { return try open() } catch {
            target.abort()
            throw error
        }
    }

    private func move(
        from source: any StoreMoving, to target: any StoreMoving, after flight: FlightLog? = nil
    ) throws -> StoreMove.Moved {
        try StoreMove(from: source, to: target) { line in try? writeLine(line) }.run(after: flight)
    }

    private func writeLine(_ line: String) throws { try StandardStream.output.writeLine(line) }
}
