// The numbers of those events that are read or made here.

enum HCIEventCode {
    static let connectionComplete: UInt8 = 0x03
    static let disconnectionComplete: UInt8 = 0x05
    static let lowEnergy: UInt8 = 0x3E
}

/// The kinds of the one event that Low Energy has: the first byte of its parameters.
enum LowEnergyEventCode {
    static let connectionComplete: UInt8 = 0x01
    static let advertisingReport: UInt8 = 0x02
    static let enhancedConnectionComplete: UInt8 = 0x0A
    static let extendedAdvertisingReport: UInt8 = 0x0D
    static let enhancedConnectionComplete2: UInt8 = 0x29
}
