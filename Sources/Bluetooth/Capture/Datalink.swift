/// How the records of a capture are to be read.
public enum Datalink: UInt32, Sendable, CaseIterable {
    /// A record is a packet as it crosses a serial line, its type in the first byte. Android records this.
    case h4 = 1002
    /// A record's flags say what it is and which adapter it belongs to. Linux's btmon records this.
    case monitor = 2001
}
