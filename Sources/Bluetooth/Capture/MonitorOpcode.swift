/// The type of a record in a monitor capture: the lower half of its flags.
package enum MonitorOpcode: UInt16, Sendable, CaseIterable {
    case newIndex = 0
    case deleteIndex = 1
    case command = 2
    case event = 3
    case aclSent = 4
    case aclReceived = 5
    case scoSent = 6
    case scoReceived = 7
    case openIndex = 8
    case closeIndex = 9
    case indexInfo = 10
    case vendorDiagnostics = 11
    case systemNote = 12
    case userLogging = 13
    case controlOpen = 14
    case controlClose = 15
    case controlCommand = 16
    case controlEvent = 17
    case isoSent = 18
    case isoReceived = 19

    init(_ kind: HCIPacket.Kind, _ direction: PacketDirection) {
        self =
            switch (kind, direction) {
            case (.command, _): .command
            case (.event, _): .event
            case (.acl, .sent): .aclSent
            case (.acl, .received): .aclReceived
            case (.sco, .sent): .scoSent
            case (.sco, .received): .scoReceived
            case (.iso, .sent): .isoSent
            case (.iso, .received): .isoReceived
            }
    }
}
