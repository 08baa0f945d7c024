/// What a device says of itself by the way it advertises.
public enum AdvertisingKind: UInt8, Sendable, CaseIterable {
    /// It may be connected to, and asked for more.
    case connectable = 0
    /// It wants one certain host to connect.
    case directed = 1
    /// It may be asked for more.
    case scannable = 2
    /// It says this and nothing else: a beacon.
    case nonConnectable = 3
    /// It was asked for more, and this is it.
    case scanResponse = 4

    /// From the bits of an extended report: connectable, scannable, directed, scan response.
    init(extended bits: UInt16) {
        self =
            switch (connectable: bits & 1 != 0, scannable: bits & 2 != 0, directed: bits & 4 != 0, response: bits & 8 != 0) {
            case (_, _, _, true): .scanResponse
            case (true, _, true, _): .directed
            case (true, _, false, _): .connectable
            case (false, true, _, _): .scannable
            case (false, false, _, _): .nonConnectable
            }
    }
}
