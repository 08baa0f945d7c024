// SIGHUP: files are read again; one with an error changes nothing.

import Devices
import Logging

/// A file that was read at start and can be read again.
struct Reloadable {
    let name: String
    /// Changes nothing if it throws.
    let reload: () throws -> Void

    func follow(_ log: Log) {
        do {
            try reload()
            log.notice("read the \(name) again")
        } catch {
            let lines = (error as? BluetoothFileError)?.lines ?? ["\(error)"]
            for line in ["kept the old \(name): \(lines[0])"] + lines.dropFirst() { log.error(line) }
        }
    }
}
