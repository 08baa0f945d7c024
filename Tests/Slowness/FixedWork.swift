// Work of the kinds that a daemon does: bytes are read, names are looked up, deadlines are sorted, values are compared, texts are written.

enum FixedWork {
    static func run() -> Int {
        var table = FixedTable<FixedValue>(capacity: 64)
        var heap = FixedHeap<FixedDeadline>()
        var output: [UInt8] = []
        var objects = (0..<8).map { FixedObject(number: $0) }
        for round in 0..<200 {
            let text = Array("*4 $4 SEND $6 room-\(round % 13) $4 pass {\"level\": \(round)}".utf8)
            for word in FixedWords(bytes: text) {
                table[word.hash] = .number(word.count)
                heap.insert(FixedDeadline(time: word.hash % 1_000, number: round))
                let object = objects[word.count % objects.count]
                object.apply(table[word.hash] ?? .text("none"))
                object.write(into: &output)
            }
            while heap.count > 20 { _ = heap.removeFirst() }
            if output.count > 4_096 { output.removeAll(keepingCapacity: true) }
        }
        objects.sort { $0.sum < $1.sum }
        return output.count + heap.count + objects[0].sum
    }
}

/// A piece of bytes between blanks.
private struct FixedWord {
    let count: Int
    let hash: Int
}

private struct FixedWords: Sequence, IteratorProtocol {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> FixedWord? {
        while position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
        guard position < bytes.count else { return nil }
        let start = position
        var hash: UInt32 = 2_166_136_261
        while position < bytes.count, bytes[position] != UInt8(ascii: " ") {
            hash = (hash ^ UInt32(bytes[position])) &* 16_777_619
            position += 1
        }
        return FixedWord(count: position - start, hash: Int(hash))
    }
}

private enum FixedValue: Equatable {
    case number(Int)
    case text(String)
}

private struct FixedTable<Value> {
    private var slots: [(key: Int, value: Value)?]

    init(capacity: Int) { slots = Array(repeating: nil, count: capacity) }

    subscript(key: Int) -> Value? {
        get { index(of: key).flatMap { slots[$0]?.value } }
        set { if let index = index(of: key) { slots[index] = newValue.map { (key, $0) } } }
    }

    private func index(of key: Int) -> Int? {
        for step in 0..<8 {
            let index = (key &+ step) % slots.count
            guard let slot = slots[index] else { return index }
            if slot.key == key { return index }
        }
        return key % slots.count
    }
}

private struct FixedDeadline: Comparable {
    let time: Int
    let number: Int

    static func < (one: Self, other: Self) -> Bool { (one.time, one.number) < (other.time, other.number) }
}

private struct FixedHeap<Element: Comparable> {
    private var elements: [Element] = []
    var count: Int { elements.count }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, elements[index] < elements[(index - 1) / 2] {
            elements.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() -> Element? {
        guard let first = elements.first else { return nil }
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        var index = 0
        while true {
            let children = [2 * index + 1, 2 * index + 2].filter { $0 < elements.count }
            guard let least = children.min(by: { elements[$0] < elements[$1] }), elements[least] < elements[index] else {
                return first
            }
            elements.swapAt(index, least)
            index = least
        }
    }
}

private final class FixedObject {
    let number: Int
    private var values: [FixedValue] = []
    private(set) var sum = 0
    private lazy var rules: [(FixedValue) -> Bool] = [{ $0 == .number(3) }, { $0 != .text("pass") }]

    init(number: Int) { self.number = number }

    func apply(_ value: FixedValue) {
        guard rules.contains(where: { $0(value) }) else { return }
        if values.count >= 16 { values.removeFirst(8) }
        values.append(value)
        sum &+= values.count { $0 == value }
    }

    func write(into output: inout [UInt8]) {
        for value in values.suffix(2) {
            switch value {
            case .number(let number): append(number, to: &output)
            case .text(let text): output.append(contentsOf: text.utf8)
            }
        }
    }

    private func append(_ number: Int, to output: inout [UInt8]) {
        var rest = number
        repeat {
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
    }
}
