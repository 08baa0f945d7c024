/// What a log record is about: fields of systemd's journal, by which records can be searched.
package struct LogSubject {
    package var session: String?
    package var flow: String?
    package var event: String?
    /// The code of the error that a client has got.
    package var code: String?

    package init(session: String? = nil, flow: String? = nil, event: String? = nil, code: String? = nil) {
        (self.session, self.flow, self.event, self.code) = (session, flow, event, code)
    }

    package static let none = LogSubject()
}
