// Receives the server's unsolicited messages.

import CPostgres

/// The server's remark on a statement or a session, such as a WARNING.
package struct Notice: Equatable, Sendable {
    package let severity: String
    package let state: SQLState?
    package let message: String
}

/// A NOTIFY of another session.
package struct PostgresNotification: Equatable, Sendable {
    package let channel: String
    package let payload: String
    /// The process that serves the session that said it.
    package let sender: Int32
}

/// Called on the connection's thread, within calls of the connection; it must not call the connection.
package final class Listener {
    private let onNoticed: (Notice) -> Void
    private let onNotified: (PostgresNotification) -> Void
    /// The last thing that a server says before it ends a session that waits.
    private(set) var farewell: Notice?

    package init(
        onNoticed: @escaping (Notice) -> Void = { _ in }, onNotified: @escaping (PostgresNotification) -> Void = { _ in }
    ) {
        (self.onNoticed, self.onNotified) = (onNoticed, onNotified)
    }

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
        let fields = ErrorFields(result)
        let notice = Notice(severity: fields.severity, state: fields.state, message: fields.message)
        if fields.isFatal { farewell = notice }
        onNoticed(notice)
    }

    /// Whether there was any.
    func takeNotifications(of connection: OpaquePointer) -> Bool {
        var hasSome = false
        while let notification = PQnotifies(connection) {
            defer { PQfreemem(notification) }
            hasSome = true
            let (channel, payload) = (notification.pointee.relname, notification.pointee.extra)
            onNotified(
                PostgresNotification(
                    channel: channel.map { String(cString: $0) } ?? "", payload: payload.map { String(cString: $0) } ?? "",
                    sender: notification.pointee.be_pid))
        }
        return hasSome
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
