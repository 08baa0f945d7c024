import Sessions
import Store

/// A session whose restoring has failed, and why.
struct FailedSession: Sendable {
    let row: StoredRow
    let problem: String
    /// Whether only RETRY restores it.
    var isQuarantined = false

    /// Moves its row out of the way of live sessions.
    func moved(by writer: any TableWriter) throws(StoreError) -> UnrestoredSession {
        var id = row.session.id
        try row.withRow { row throws(StoreError) in
            var row = row
            row.quarantined = isQuarantined
            id = try writer.keepUnrestored(row, because: problem)
        }
        return UnrestoredSession(name: row.name, id: id, flow: row.flow, problem: problem, isQuarantined: isQuarantined)
    }
}
