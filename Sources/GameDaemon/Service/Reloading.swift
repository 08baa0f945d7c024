// SIGHUP and RELOAD: files other than those of flows are read again; one with an error changes nothing.

import Devices
import Logging

/// A file that was read at start and can be read again.
struct Reloadable {
    let name: String
    /// Reads it and changes nothing.
    let check: () throws -> Void
    /// Changes nothing if it throws.
    let reload: () throws -> Void

    /// Says what has come of it.
    func follow(_ log: Log) -> String {
        do {
            try reload()
            log.notice("read the \(name) again")
            return "\(name): read again"
        } catch {
            let lines = Self.lines(of: error)
            for line in ["kept the old \(name): \(lines[0])"] + lines.dropFirst() { log.error(line) }
            return "\(name): kept the old one: \(lines[0])"
        }
    }

    /// What would come of it.
    var tried: String {
        do {
            try check()
            return "\(name): read again"
        } catch {
            return "\(name): kept the old one: \(Self.lines(of: error)[0])"
        }
    }

    private static func lines(of error: any Error) -> [String] { (error as? BluetoothFileError)?.lines ?? ["\(error)"] }
}
