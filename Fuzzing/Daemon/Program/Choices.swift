// A program's bytes as a row of choices: any bytes are a program, and removing a byte gives a similar one.

struct Choices {
    private let bytes: ArraySlice<UInt8>
    private var offset: Int

    init(_ bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)[...]
        offset = 0
    }

    /// Whether all bytes are used up: every further choice is the first one.
    var isAtEnd: Bool { offset >= bytes.count }

    mutating func byte() -> UInt8 {
        guard !isAtEnd else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Below the bound, which is above zero.
    mutating func number(below bound: Int) -> Int {
        bound <= 256 ? Int(byte()) % bound : (Int(byte()) << 8 | Int(byte())) % bound
    }

    /// Returns true in `times` of 256 cases.
    mutating func happens(_ times: Int) -> Bool { Int(byte()) >= 256 - times }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }
}
