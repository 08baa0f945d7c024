import JournalStore

/// A session that could not be restored, and why.
struct FailedSession: Sendable {
    let session: KeptSession
    let problem: String

    /// Its row is kept, out of the way of those that live.
    func moved(by writer: TableWriter) throws(StoreError) -> SetAside {
        var id = session.id
        try session.withRow { row throws(StoreError) in id = try writer.setAside(row, because: problem) }
        return SetAside(name: session.name, id: id, flow: session.flow, problem: problem)
    }
}
