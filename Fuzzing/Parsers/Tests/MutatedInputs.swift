// Hostile inputs for a parser: a corpus, and random changes to it.

import Seeds

/// The inputs of a corpus, followed by mutations of them; the same for the same seed.
struct MutatedInputs {
    private static let maxLength = 4_096
    /// Mutations that later ones may start from.
    private static let maxKept = 64
    /// Around the bounds of lengths, of numbers and of JSON.
    private static let numbers = [
        "0", "-0", "-1", "1", "7", "16", "127", "128", "255", "256", "1024", "65535", "65536", "2147483647", "2147483648",
        "4294967295", "4294967296", "9007199254740993", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "18446744073709551616", "1e308", "1e999", "0.1", "00", "+1", "0x10",
    ].map { Array($0.utf8) }

    private let corpus: [[UInt8]]
    private let words: [[UInt8]]
    private var kept: [[UInt8]] = []
    private var next = 0
    private var random: SeededGenerator

    init(corpus: [[UInt8]], random: SeededGenerator) {
        self.corpus = corpus
        words = corpus.flatMap { $0.split { !$0.isWordByte } }.filter { (2...24).contains($0.count) }.map(Array.init)
        self.random = random
    }

    mutating func input() -> [UInt8] {
        defer { next += 1 }
        guard next >= corpus.count else { return corpus[next] }
        var input = start()
        for _ in 0..<(1 << Int.random(in: 0...3, using: &random)) { mutate(&input) }
        input.removeLast(max(0, input.count - Self.maxLength))
        if Int.random(in: 0..<8, using: &random) == 0 { keep(input) }
        return input
    }

    /// One of the corpus or, as often, a mutation.
    private mutating func start() -> [UInt8] {
        let all = Bool.random(using: &random) || kept.isEmpty ? corpus : kept
        return all.randomElement(using: &random) ?? []
    }

    private mutating func keep(_ input: [UInt8]) {
        if kept.count < Self.maxKept { return kept.append(input) }
        kept[Int.random(in: kept.indices, using: &random)] = input
    }

    private mutating func mutate(_ input: inout [UInt8]) {
        let range = range(in: input)
        switch Int.random(in: 0..<9, using: &random) {
        case 0: input.removeSubrange(range)
        case 1: input.insert(contentsOf: input[range], at: place(in: input))
        case 2: input.insert(contentsOf: part(), at: place(in: input))
        case 3: input.replaceSubrange(range, with: part())
        case 4: input.insert(contentsOf: words.randomElement(using: &random) ?? [], at: place(in: input))
        case 5: input.insert(.random(in: 0...255, using: &random), at: place(in: input))
        case 6: replaceNumber(in: &input)
        case 7: input.replaceSubrange(range, with: input[range].shuffled(using: &random))
        default: changeByte(of: &input)
        }
    }

    /// A part of another input.
    private mutating func part() -> ArraySlice<UInt8> {
        let other = corpus.randomElement(using: &random) ?? []
        return other[range(in: other)]
    }

    /// Short ranges are more frequent.
    private mutating func range(in input: [UInt8]) -> Range<Int> {
        let start = place(in: input)
        let length = 1 << Int.random(in: 0...7, using: &random)
        return start..<min(start + Int.random(in: 0...length, using: &random), input.count)
    }

    private mutating func place(in input: [UInt8]) -> Int { .random(in: 0...input.count, using: &random) }

    private mutating func replaceNumber(in input: inout [UInt8]) {
        let digits = input.indices.filter { input[$0].isDigit }
        guard let digit = digits.randomElement(using: &random), let number = Self.numbers.randomElement(using: &random)
        else { return }
        let start = input[..<digit].lastIndex { !$0.isDigit }.map { $0 + 1 } ?? 0
        let end = input[digit...].firstIndex { !$0.isDigit } ?? input.count
        input.replaceSubrange(start..<end, with: number)
    }

    /// Flips a bit, or adds a little, as to a length of one byte.
    private mutating func changeByte(of input: inout [UInt8]) {
        guard let index = input.indices.randomElement(using: &random) else { return }
        if Bool.random(using: &random) {
            input[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
        } else {
            input[index] &+= .random(in: 248...255, using: &random)
        }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isWordByte: Bool {
        let small = self | 0x20
        return isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(small)
    }
}
