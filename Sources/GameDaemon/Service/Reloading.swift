// What SIGHUP does: what can be read again is, and what cannot be understood stays as it was.

/// Something that was read at the start and can be read again.
struct Reloadable {
    let name: String
    /// Changes nothing if it throws.
    let reload: () throws -> Void

    func follow(_ log: Log) {
        do {
            try reload()
            log.notice("read the \(name) again")
        } catch {
            for line in "kept the old \(name): \(error)".split(separator: "\n") { log.error(String(line)) }
        }
    }
}
