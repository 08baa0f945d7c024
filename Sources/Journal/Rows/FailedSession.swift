import Sessions
import Store

/// A session that could not be restored, and why.
struct FailedSession: Sendable {
    let row: StoredRow
    let problem: String
    /// Whether no start tries it again.
    var isQuarantined = false

    /// Its row is kept, out of the way of those that live.
    func moved(by writer: any TableWriter) throws(StoreError) -> UnrestoredSession {
        var id = row.session.id
        try row.withRow { row throws(StoreError) in
            var row = row
            row.quarantined = isQuarantined
            id = try writer.keepUnrestored(row, because: problem)
        }
        return UnrestoredSession(name: row.name, id: id, flow: row.flow, problem: problem)
    }
}
