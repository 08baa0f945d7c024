// Receives the server's unsolicited messages.

import CPostgres

/// Used on the connection's thread, within calls of the connection.
final class Listener {
    /// The last message of a server that ends a waiting session.
    private(set) var farewell: ErrorFields?
    /// The payloads of the notifications that have come, until they are taken.
    var payloads: [String] = []

    /// The connection's owner keeps this as long as the connection.
    func listen(to connection: OpaquePointer) {
        farewell = nil
        let receiver: PQnoticeReceiver = { listener, result in
            guard let listener, let result else { return }
            Unmanaged<Listener>.fromOpaque(listener).takeUnretainedValue().hear(result)
        }
        _ = PQsetNoticeReceiver(connection, receiver, Unmanaged.passUnretained(self).toOpaque())
    }

    private func hear(_ result: OpaquePointer) {
        let notice = ErrorFields(result)
        if notice.isFatal { farewell = notice }
    }

    /// Whether there was any.
    func collectNotifications(of connection: OpaquePointer) -> Bool {
        let count = payloads.count
        while let notification = PQnotifies(connection) {
            payloads.append(notification.pointee.extra.map { String(cString: $0) } ?? "")
            PQfreemem(notification)
        }
        return payloads.count > count
    }
}

/// The fields of the server's error or notice.
struct ErrorFields {
    /// In English, regardless of the server's language.
    let severity: String
    let state: SQLState?
    let message: String

    init(_ result: OpaquePointer) {
        let field = { (name: Character) in
            PQresultErrorField(result, Int32(name.asciiValue ?? 0)).map { String(cString: $0) }
        }
        severity = field("V") ?? field("S") ?? ""
        state = field("C").map(SQLState.init)
        message = field("M") ?? ""
    }

    /// It ends the session.
    var isFatal: Bool { severity == "FATAL" || severity == "PANIC" }
}
