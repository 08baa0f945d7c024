// The codes of errors: what a program looks at, where people read the sentence.

/// The first word of an error on the wire, such as `NOTRANSITION`. An open set: a journal or another daemon may bring a code that this
/// version does not know.
public struct ErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// The code as it goes over the wire. Each of ours fits into a String without a heap allocation.
    public let text: String

    @inlinable public init(_ text: String) { self.text = text }

    @inlinable public var description: String { text }
}

// Computed, so that a comparison is with a constant and not with a global that must be initialized first.
extension ErrorCode {
    // MARK: Of sessions and their flows

    /// The event is not valid in this state.
    @inlinable public static var noTransition: ErrorCode { ErrorCode("NOTRANSITION") }
    /// The event is unknown, comes from a source that may not send it, or has an invalid payload.
    @inlinable public static var badEvent: ErrorCode { ErrorCode("BADEVENT") }
    /// A validator or a hook refuses the transition.
    @inlinable public static var vetoed: ErrorCode { ErrorCode("VETOED") }
    /// Something has changed the session since the version that the sender has seen.
    @inlinable public static var stale: ErrorCode { ErrorCode("STALE") }
    /// An event's hook has not decided in time.
    @inlinable public static var timeout: ErrorCode { ErrorCode("TIMEOUT") }
    /// Something would exceed a limit.
    @inlinable public static var limit: ErrorCode { ErrorCode("LIMIT") }
    @inlinable public static var noSession: ErrorCode { ErrorCode("NOSESSION") }
    /// There is a session of that name already.
    @inlinable public static var exists: ErrorCode { ErrorCode("EXISTS") }
    /// The session could not be restored, or is quarantined.
    @inlinable public static var setAside: ErrorCode { ErrorCode("ASIDE") }
    @inlinable public static var badName: ErrorCode { ErrorCode("BADNAME") }
    @inlinable public static var noFlow: ErrorCode { ErrorCode("NOFLOW") }
    @inlinable public static var badFlow: ErrorCode { ErrorCode("BADFLOW") }
    /// The configuration, or a file that it names, is wrong.
    @inlinable public static var badConfiguration: ErrorCode { ErrorCode("BADCONFIG") }
    @inlinable public static var noTimer: ErrorCode { ErrorCode("NOTIMER") }

    // MARK: Of the daemon

    /// Every other error.
    @inlinable public static var generic: ErrorCode { ErrorCode("ERR") }
    /// The disk takes no changes just now.
    @inlinable public static var journal: ErrorCode { ErrorCode("JOURNAL") }
    /// A change may or may not have happened: no client repeats it by itself.
    @inlinable public static var unknown: ErrorCode { ErrorCode("UNKNOWN") }
    /// Sessions are still being restored.
    @inlinable public static var loading: ErrorCode { ErrorCode("LOADING") }
    @inlinable public static var busy: ErrorCode { ErrorCode("BUSY") }
    @inlinable public static var backupFailed: ErrorCode { ErrorCode("BACKUP") }

    // MARK: Of clusters, in Redis Cluster's words

    /// Another node has the session: which is said behind it.
    @inlinable public static var moved: ErrorCode { ErrorCode("MOVED") }
    /// The session is on its way from one node to another.
    @inlinable public static var tryAgain: ErrorCode { ErrorCode("TRYAGAIN") }
    /// No node can answer for the session just now.
    @inlinable public static var clusterDown: ErrorCode { ErrorCode("CLUSTERDOWN") }
    /// A command names sessions of two slots.
    @inlinable public static var crossSlot: ErrorCode { ErrorCode("CROSSSLOT") }

    // MARK: Of connections

    @inlinable public static var notAuthenticated: ErrorCode { ErrorCode("NOAUTH") }
    @inlinable public static var wrongToken: ErrorCode { ErrorCode("WRONGPASS") }
    @inlinable public static var noPermission: ErrorCode { ErrorCode("NOPERM") }
    /// A token has used up its quota.
    @inlinable public static var quota: ErrorCode { ErrorCode("QUOTA") }
    /// There is no such version of the protocol.
    @inlinable public static var noProtocol: ErrorCode { ErrorCode("NOPROTO") }

    /// EXEC carries out nothing: a command was refused when it was queued.
    @inlinable public static var executionAborted: ErrorCode { ErrorCode("EXECABORT") }

    // MARK: Of simulated devices

    @inlinable public static var noDevice: ErrorCode { ErrorCode("NODEVICE") }
    @inlinable public static var notConnected: ErrorCode { ErrorCode("NOTCONNECTED") }
    @inlinable public static var badDevices: ErrorCode { ErrorCode("BADDEVICES") }

    // MARK: Of HTTP

    /// Nothing is served there.
    @inlinable public static var noPage: ErrorCode { ErrorCode("NOPAGE") }
    /// The resource exists but takes another method.
    @inlinable public static var noMethod: ErrorCode { ErrorCode("NOMETHOD") }
    /// A body is not announced as JSON.
    @inlinable public static var noJSON: ErrorCode { ErrorCode("NOJSON") }
    /// A body is longer than its operation reads.
    @inlinable public static var tooLarge: ErrorCode { ErrorCode("TOOLARGE") }

    // MARK: Of clients, which no daemon sends

    @inlinable public static var noDaemon: ErrorCode { ErrorCode("NODAEMON") }
    @inlinable public static var usage: ErrorCode { ErrorCode("USAGE") }
    @inlinable public static var inputOutput: ErrorCode { ErrorCode("IO") }
}
