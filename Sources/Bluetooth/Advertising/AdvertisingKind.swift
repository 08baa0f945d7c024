/// How a device advertises: what may be done with it.
package enum AdvertisingKind: UInt8, Sendable, CaseIterable {
    /// Accepts connections and scan requests.
    case connectable = 0
    /// Asks one particular host to connect.
    case directed = 1
    /// Accepts scan requests.
    case scannable = 2
    /// Accepts neither: a beacon.
    case nonConnectable = 3
    /// The answer to a scan request.
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
