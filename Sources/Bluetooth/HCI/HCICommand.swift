/// What the host asked of the adapter. Only its head is read: what matters here is what came of it.
struct HCICommand: Equatable {
    static let reset: UInt16 = 0x0C03

    let opcode: UInt16
    let parameters: ArraySlice<UInt8>

    /// Nil if it is cut short.
    init?(_ payload: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        guard let opcode = reader.number(UInt16.self), let length = reader.byte(),
            let parameters = reader.bytes(Int(length))
        else { return nil }
        self.opcode = opcode
        self.parameters = parameters
    }
}
